// pull_offers.hpp - elements in memory of a device, offered to the node that is written, where a device may copy them from there itself.
//
// The node that is read says where its elements lie (data/exported_elements.hpp) instead of sending them. The other one has them copied and
// says so; or it says that it cannot, and then they come in pieces. What it can never have is remembered, and offered to it no more.
//
// Messages    offer; answered.
// Threads     any of the runtime; handlers run inside job::poll.
// Memory      what is offered stays as it is until the answer has come: all that is kept for it is given back then.
// Invariants  (1) each offer is answered once, unless one of the two nodes is lost to the other.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "data/exported_elements.hpp"
#include "dist/element_piece.hpp"

namespace stretto::dist {

struct pull_offer {
  element_order order;
  std::vector<box> boxes;  // in the target, none of them empty
  point shift;             // from there to the source
  data::exported_elements source;
  // Of the node to which it is made:
  rank from = 0;
  std::uint64_t number = 0;
};

class pull_offers {
 public:
  /// taken: the elements have been copied, or are wanted no more. in_pieces: they are to be sent; never: and all others of that memory, too.
  enum class offer_reply : std::uint8_t { pulled, in_pieces, never };
  using reply_handler = std::function<void(offer_reply is, base::thread_context& context)>;
  using handler = std::function<void(pull_offer&& of, base::thread_context& context)>;

  /// Before job::start.
  explicit pull_offers(job& j);
  /// Who takes them. Before job::start, too.
  void set_receiver(handler h) { receive_ = std::move(h); }

  /// The sender's: whether an offer of elements of this memory may be worth it, as far as that node has answered.
  bool is_worth_offering(rank to, const data::exported_elements& source) const;
  /// `then` runs with the answer; it is dropped if that node is lost.
  void send(rank to, const pull_offer& of, reply_handler then);
  /// The receiver's, once.
  void reply_to(const pull_offer& of, offer_reply is);

  void lost(rank node) noexcept;

 private:
  void on_offer(rank from, reader& content, base::thread_context& context);
  void on_reply(rank from, reader& content, base::thread_context& context);

  struct pending_offer {
    rank to = 0;
    std::vector<std::byte> token;
    reply_handler then;
  };
  job& job_;
  const message_kind offer_, reply_;
  handler receive_;
  mutable std::mutex lock_;  // guards what follows
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, pending_offer> pending_offers_;
  std::set<std::pair<rank, std::vector<std::byte>>> refused_;  // whose memory, by its token, which node cannot have
};

}  // namespace stretto::dist
