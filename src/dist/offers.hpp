// offers.hpp - elements in memory of a device, offered to the node that is written, where a device may copy them from there itself.
//
// The node that is read says where its elements lie (data/exported_device_elements.hpp) instead of sending them. The other one has them copied and
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

#include "data/exported_device_elements.hpp"
#include "dist/element_piece.hpp"

namespace stretto::dist {

struct offer {
  element_order order;
  std::vector<box> boxes;  // in the target, none of them empty
  point shift;             // from there to the source
  data::exported_device_elements source;
  // Of the node to which it is made:
  rank from = 0;
  std::uint64_t number = 0;
};

class offers {
 public:
  /// taken: the elements have been copied, or are wanted no more. in_pieces: they are to be sent; never: and all others of that memory, too.
  enum class answer : std::uint8_t { taken, in_pieces, never };
  using answered = std::function<void(answer is, base::thread_context& context)>;
  using handler = std::function<void(offer&& of, base::thread_context& context)>;

  /// Before job::start.
  explicit offers(job& j);
  /// Who takes them. Before job::start, too.
  void taken_by(handler h) { takes_ = std::move(h); }

  /// The sender's: whether an offer of elements of this memory may be worth it, as far as that node has answered.
  bool may_be_taken(rank to, const data::exported_device_elements& source) const;
  /// `then` runs with the answer; it is dropped if that node is lost.
  void make(rank to, const offer& of, answered then);
  /// The receiver's, once.
  void answer_to(const offer& of, answer is);

  void lost(rank node) noexcept;

 private:
  void on_offer(rank from, reader& content, base::thread_context& context);
  void on_answered(rank from, reader& content, base::thread_context& context);

  struct made {
    rank to = 0;
    std::vector<std::byte> token;
    answered then;
  };
  job& job_;
  const message_kind offer_, answered_;
  handler takes_;
  mutable std::mutex lock_;  // guards what follows
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, made> made_;
  std::set<std::pair<rank, std::vector<std::byte>>> refused_;  // whose memory, by its token, which node cannot have
};

}  // namespace stretto::dist
