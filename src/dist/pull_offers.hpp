// pull_offers.hpp - offers of elements in device memory, which a device of the receiving node copies directly.
//
// Instead of sending elements, the source node sends their location (data/exported_device_elements.hpp). The target
// node copies them and reports that; or it replies that it cannot, and the elements are then sent in pieces. The source
// node remembers memory that the target node can never access, and does not offer it again.
//
// Messages    offer; offer_reply.
// Threads     any of the runtime; handlers run inside job::poll.
// Memory      the source keeps the offered elements unchanged until the reply, and releases them then.
// Invariants  (1) each offer gets one reply, unless one of the two nodes is lost to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "data/exported_device_elements.hpp"
#include "dist/element_piece.hpp"
#include "dist/remote_calls.hpp"

namespace stretto::dist {

/// From the node that has the elements in memory of a device: a device of the receiver may copy them.
struct pull_offer {
  static constexpr std::string_view message = "instances.offer";
  call_number number = {};
  element_order order = {};
  point shift = {};  // from target to source coordinates
  data::exported_device_elements source = {};
  std::vector<box> boxes = {};  // in the target, none of them empty

  /// True if the elements lie in the memory that it names, and the boxes among the elements.
  bool is_sound() const noexcept;
};
/// As the receiver keeps it.
struct received_offer {
  rank from = 0;
  pull_offer is = {};
};

/// pulled: the elements have been copied, or are no longer needed. in_pieces: the sender must send them. never: the
/// same, for all elements of that memory.
enum class offer_reply : std::uint8_t { pulled, in_pieces, never };
template <>
inline constexpr auto last_of<offer_reply> = offer_reply::never;
/// To the node that has the elements: whether they were copied.
struct pull_reply {
  static constexpr std::string_view message = "instances.offer_reply";
  call_number offer = {};
  offer_reply is = {};
};

class pull_offers {
 public:
  using reply_handler = std::function<void(offer_reply is, base::thread_context& context)>;
  using handler = std::function<void(received_offer&& of, base::thread_context& context)>;

  /// Before job::start.
  explicit pull_offers(job& j);
  /// Sets the handler of offers. Must be called before job::start.
  void set_receiver(handler h) { receive_ = std::move(h); }

  /// On the source node: false if node `to` has replied that it can never access this memory.
  bool is_worth_offering(rank to, const data::exported_device_elements& source) const;
  /// Calls `then` with the reply; drops it if that node is lost. Numbers the offer.
  void send(rank to, pull_offer&& of, reply_handler then);
  /// On the receiving node; must be called once per offer.
  void reply_to(const received_offer& of, offer_reply is);

  void lost(rank node) noexcept;

 private:
  void on_offer(rank from, const pull_offer& m, base::thread_context& context);
  void on_reply(rank from, const pull_reply& m, base::thread_context& context);

  struct pending_offer {
    rank to = 0;
    std::vector<std::byte> token;
    reply_handler then;
  };
  job& job_;
  handler receive_;
  remote_calls<pending_offer> pending_offers_;
  mutable std::mutex lock_;                                    // guards what follows
  std::set<std::pair<rank, std::vector<std::byte>>> refused_;  // memory (by its token) that a node can never access
};

}  // namespace stretto::dist
