// element_sender.hpp - sends elements of instances of this node to instances of another node.
//
// Elements that are contiguous in host memory are sent from where they are. All others (rows with gaps, device memory,
// many small boxes) are first gathered into staging buffers, piece by piece. At most `pieces_under_way` pieces are in
// flight, so that gathering, sending and receiving overlap and the buffers stay bounded. Elements in device memory that
// other processes may import are offered first (pull_offers.hpp).
//
// Messages    piece: see element_piece.hpp. abandoned: the operation failed after an offer or the first piece was sent.
//             If the target is a posted receive, its node is also told which elements will not come
//             (posted_receives.hpp).
// Threads     any of the runtime.
#pragma once

#include <memory>

#include "dist/element_piece.hpp"
#include "dist/posted_receives.hpp"
#include "dist/pull_offers.hpp"

namespace stretto::dist {

class element_sender {
 public:
  static constexpr std::uint64_t piece_bytes = 1 << 20;
  /// The size of staged pieces: smaller, so that one is sent while the next is gathered.
  static constexpr std::uint64_t passing_piece_bytes = 256 << 10;
  static constexpr int pieces_under_way = 4;

  /// The element_receiver of the other node handles its messages.
  element_sender(job& j, pending_requests& pending, posted_receives& p, pull_offers& offers)
      : job_(j), pending_requests_(pending), posted_(p), offers_(offers) {}

  /// Sends the elements that `r` (a copy or a reduction) requests from the local instance `source` to r.used[0], after
  /// `behind` has triggered. If this fails before the first piece, this node replies to `q`; otherwise the receiver
  /// does. `lease` is kept until everything has been sent.
  void send(const request_id& q, owned_request&& r, const detail::instance_handle& source, event behind,
            const std::source_location& where, base::thread_context& context, std::shared_ptr<const void> lease = {});

 private:
  struct outgoing_transfer;
  struct sent_piece;
  using shared = std::shared_ptr<outgoing_transfer>;

  void begin(const shared& c, base::thread_context& context);
  /// True if all elements were offered to the receiver.
  bool offer_elements(const shared& c, const detail::instance_record& r, std::span<const box> all,
                      base::thread_context& context);
  /// Sends the elements in pieces. Requires that the source has them.
  void send_pieces(const shared& c, const detail::instance_record& r, std::span<const box> all,
                   base::thread_context& context);
  /// Tells the receiver that only `sent` pieces come; the receiver then sends the reply.
  void abandon(const outgoing_transfer& c, std::uint32_t sent, const failure& cause);
  /// The operation has failed before the first piece was sent.
  void fail_before_sending(
      const shared& c, const failure& cause, base::thread_context& context,
      pending_requests::failure_origin when = pending_requests::failure_origin::operation) noexcept;
  void begin_reduction(const shared& c, base::thread_context& context);
  void allow_pieces(const shared& c, int more, base::thread_context& context) noexcept;
  void start_piece(const shared& c, std::size_t piece, base::thread_context& context);
  void send_piece(const shared& c, std::size_t piece, const element_piece& p, std::span<const std::byte> bytes,
                  std::shared_ptr<data::staging_buffer> kept, base::thread_context& context, bool from_device = false);
  /// A piece was sent or has failed. After a failure, the last piece in preparation reports it.
  void piece_prepared(const shared& c, const failure* cause, base::thread_context& context) noexcept;

  job& job_;
  pending_requests& pending_requests_;
  posted_receives& posted_;
  pull_offers& offers_;
};

}  // namespace stretto::dist
