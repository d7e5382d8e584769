// element_sender.hpp - elements of an instance of this node, on their way to one of another.
//
// What lies side by side in memory of the host is sent from where it is. All else (rows with gaps between, memory of devices, many small
// boxes) is first copied together, piece by piece; some pieces are under way at a time, so that copying, sending and what the
// receiver does overlap and buffers stay bounded. What lies in memory of a device that others may import is offered first (offers.hpp).
//
// Messages    a piece: element_piece.hpp. abandoned: something failed after an offer, or the first piece, had gone. Of what goes
//             to a posted instance that is told which elements do not come, too (posted_instances.hpp).
// Threads     any of the runtime.
#pragma once

#include <memory>

#include "dist/element_piece.hpp"
#include "dist/offers.hpp"
#include "dist/posted_instances.hpp"

namespace stretto::dist {

class element_sender {
 public:
  static constexpr std::uint64_t piece_bytes = 1 << 20;
  /// Of what goes through other memory on its way, so that one moves on while the next is brought there.
  static constexpr std::uint64_t passing_piece_bytes = 256 << 10;
  static constexpr int pieces_under_way = 4;

  /// The two messages are taken by an element_receiver on the other node.
  element_sender(job& j, failures& causes, questions& q, posted_instances& p, offers& o, message_kind piece,
                 message_kind abandoned)
      : job_(j), causes_(causes), questions_(q), posted_(p), offers_(o), piece_(piece), abandoned_(abandoned) {}

  /// The elements that `r` (a copy or a reduction) asks for, of `source`, which is near, to r.used[0], once `behind` has happened. The
  /// answer to `q` is given here if it fails before anything has gone, else by the receiver. `lease`: kept until all has gone.
  void send(const question& q, kept_request&& r, const detail::instance_handle& source, event behind, const std::source_location& where,
            base::thread_context& context, std::shared_ptr<const void> lease = {});

 private:
  struct cargo;
  struct sent_piece;
  using shared = std::shared_ptr<cargo>;

  void begin(const shared& c, base::thread_context& context);
  /// Whether the elements have been offered, all of them.
  bool offer_them(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context);
  /// In pieces, whose elements are known to be there.
  void cut(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context);
  /// The receiver answers for what has failed.
  void abandon(const cargo& c, std::uint32_t gone, const failure& cause);
  /// It has failed before anything has gone.
  void give_up(const shared& c, const failure& cause, base::thread_context& context, questions::began when = questions::began::with_it) noexcept;
  void begin_held(const shared& c, base::thread_context& context);
  void allow(const shared& c, int more, base::thread_context& context) noexcept;
  void start(const shared& c, std::size_t piece, base::thread_context& context);
  void go(const shared& c, std::size_t piece, const element_piece& p, std::span<const std::byte> bytes, std::shared_ptr<data::staging_buffer> kept,
          base::thread_context& context, bool from_device = false);
  /// A piece has gone, or could not be prepared: the last one after a failure says so.
  void prepared(const shared& c, const failure* cause, base::thread_context& context) noexcept;

  job& job_;
  failures& causes_;
  questions& questions_;
  posted_instances& posted_;
  offers& offers_;
  const message_kind piece_, abandoned_;
};

}  // namespace stretto::dist
