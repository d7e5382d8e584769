// element_receiver.hpp - receives elements of other nodes into instances of this node.
//
// A piece of a copy that is dense in the target is received directly into the target. Every other piece is received
// into a staging buffer, and copied or reduced from there. Pieces wait until the target is ready; large ones stay with
// their sender. The requester of a fetch may choose the target only when the first elements arrive. Offered elements
// (pull_offers.hpp) are copied from the sender's device memory when the target is ready, or requested in pieces.
//
//     piece or offer -> resolve_target -> await_target -> on_target_ready -> write_piece -> count_piece ->
//     finish_transfer
//
// Threads     handlers inside job::poll; the rest on any thread of the runtime.
// Invariants  (1) nothing is written unless the target has all elements of the operation. (2) each operation gets one
//             reply, when all its pieces are written or dropped. For a posted receive both hold for each piece.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "data/attachments.hpp"
#include "dist/element_piece.hpp"
#include "dist/instance_names.hpp"
#include "dist/posted_receives.hpp"
#include "dist/pull_offers.hpp"

namespace stretto::dist {

class element_receiver {
 public:
  /// Before job::start.
  element_receiver(job& j, pending_requests& pending, instance_names& names, posted_receives& posted,
                   pull_offers& offers);

  /// True while elements are being written to memory. The node is not idle then, although no message may be pending.
  bool has_incoming_data() const noexcept { return pieces_in_flight_.load(std::memory_order_acquire) != 0; }

  /// The placeholder that senders get as the target if this node chooses the target when the elements arrive.
  static detail::instance_handle target_named_later(std::uint16_t node) noexcept {
    return {nullptr, std::uint64_t{node} << 48};
  }
  /// Registers the function that chooses the target for the elements of a request of this node, until forget_target.
  void expect_target(std::uint64_t request, data::destination::asked target);
  void forget_target(std::uint64_t request) noexcept;

  void lost(rank node, base::thread_context& context) noexcept;
  /// True if elements of the request have arrived from that node and are not all written: the receiver will send the
  /// reply.
  bool is_receiving_from(const request_id& q, rank from);

 private:
  struct incoming_transfer;
  struct piece_in_flight;
  struct waiting_piece {
    element_piece piece;
    net::payload payload;
    std::shared_ptr<data::staging_buffer> buffered = {};  // copy of a payload that arrived with its head
    std::shared_ptr<const received_offer> offered = {};   // set: an offer of all elements, no piece
  };
  using shared = std::shared_ptr<incoming_transfer>;
  using key = std::pair<rank, std::uint64_t>;  // identifies a request

  void on_piece(rank from, const element_message& m, net::payload&& rest, base::thread_context& context);
  void on_abandoned(rank from, const elements_abandoned& m, base::thread_context& context);

  shared transfer_of(const request_id& q, rank from);
  void resolve_target(const shared& transfer, base::thread_context& context);
  void request_target(const shared& transfer, base::thread_context& context);
  void await_target(const shared& transfer, const detail::instance_handle& target, event behind,
                    base::thread_context& context);
  void check(incoming_transfer& transfer, base::thread_context& context) const;
  void on_target_ready(const shared& transfer, failure_ref cause, base::thread_context& context);
  void on_offer(received_offer&& of, base::thread_context& context);
  /// Copies offered elements. Requires that the target is ready.
  void pull(const shared& transfer, const std::shared_ptr<const received_offer>& of,
            base::thread_context& context) noexcept;
  /// Tells the sender to send the elements in pieces.
  void request_pieces(const shared& transfer, const received_offer& of, base::thread_context& context);
  static bool has_failed(incoming_transfer& transfer);
  /// The bytes of an element that a copy or a reduction of values must send.
  static std::uint32_t bytes_each_in(const incoming_transfer& transfer) noexcept;
  void write_piece(const shared& transfer, waiting_piece&& p, base::thread_context& context) noexcept;
  /// Copies or reduces a piece from its staging buffer into the target.
  void apply(const shared& transfer, const element_piece& p, std::shared_ptr<data::staging_buffer> bytes,
             base::thread_context& context);
  void ended(const shared& transfer, std::span<const box> boxes, const failure* cause,
             base::thread_context& context) noexcept;
  void count_piece(const shared& transfer, const failure* cause, base::thread_context& context) noexcept;
  void finish_transfer(const shared& transfer, base::thread_context& context) noexcept;

  job& job_;
  pending_requests& pending_requests_;
  instance_names& names_;
  posted_receives& posted_;
  pull_offers& offers_;
  std::atomic<std::size_t> pieces_in_flight_{0};
  std::mutex lock_;
  std::map<key, shared> incoming_;
  std::map<std::uint64_t, data::destination::asked> expected_;  // by request of this node
};

}  // namespace stretto::dist
