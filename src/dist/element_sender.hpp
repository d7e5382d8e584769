// element_sender.hpp - elements of an instance of this node, on their way to one of another.
//
// What lies side by side in memory of the host is sent from where it is. All else (rows with gaps between, memory of devices, many small
// boxes) is first copied together, piece by piece; some pieces are under way at a time, so that copying, sending and what the
// receiver does overlap and buffers stay bounded. What lies in memory of a device that others may import is offered first (pull_offers.hpp).
//
// Messages    a piece: element_piece.hpp. abandoned: something failed after an offer, or the first piece, had gone. Of what goes
//             to a posted instance that is told which elements do not come, too (posted_receives.hpp).
// Threads     any of the runtime.
#pragma once

#include <memory>

#include "dist/element_piece.hpp"
#include "dist/pull_offers.hpp"
#include "dist/posted_receives.hpp"

namespace stretto::dist {

class element_sender {
 public:
  static constexpr std::uint64_t piece_bytes = 1 << 20;
  /// Of what goes through other memory on its way, so that one moves on while the next is brought there.
  static constexpr std::uint64_t passing_piece_bytes = 256 << 10;
  static constexpr int pieces_under_way = 4;

  /// The two messages are taken by an element_receiver on the other node.
  element_sender(job& j, failure_codec& causes, pending_requests& pending, posted_receives& p, pull_offers& offers, message_kind piece,
                 message_kind abandoned)
      : job_(j), causes_(causes), pending_requests_(pending), posted_(p), offers_(offers), piece_(piece), abandoned_(abandoned) {}

  /// The elements that `r` (a copy or a reduction) asks for, of `source`, which is near, to r.used[0], once `behind` has happened. The
  /// answer to `q` is given here if it fails before anything has gone, else by the receiver. `lease`: kept until all has gone.
  void send(const request_id& q, owned_request&& r, const detail::instance_handle& source, event behind, const std::source_location& where,
            base::thread_context& context, std::shared_ptr<const void> lease = {});

 private:
  struct outgoing_transfer;
  struct sent_piece;
  using shared = std::shared_ptr<outgoing_transfer>;

  void begin(const shared& c, base::thread_context& context);
  /// Whether the elements have been offered, all of them.
  bool offer_elements(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context);
  /// In pieces, whose elements are known to be there.
  void send_pieces(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context);
  /// The receiver answers for what has failed.
  void abandon(const outgoing_transfer& c, std::uint32_t gone, const failure& cause);
  /// It has failed before anything has gone.
  void fail_before_sending(const shared& c, const failure& cause, base::thread_context& context, pending_requests::failure_origin when = pending_requests::failure_origin::operation) noexcept;
  void begin_reduction(const shared& c, base::thread_context& context);
  void allow_pieces(const shared& c, int more, base::thread_context& context) noexcept;
  void start_piece(const shared& c, std::size_t piece, base::thread_context& context);
  void send_piece(const shared& c, std::size_t piece, const element_piece& p, std::span<const std::byte> bytes, std::shared_ptr<data::passing_bytes> kept,
          base::thread_context& context, bool from_device = false);
  /// A piece has gone, or could not be prepared: the last one after a failure says so.
  void piece_prepared(const shared& c, const failure* cause, base::thread_context& context) noexcept;

  job& job_;
  failure_codec& causes_;
  pending_requests& pending_requests_;
  posted_receives& posted_;
  pull_offers& offers_;
  const message_kind piece_, abandoned_;
};

}  // namespace stretto::dist
