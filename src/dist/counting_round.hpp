// counting_round.hpp - collects the counts of all nodes in rounds, and compares each round with the one before.
//
// A node that must know whether a job has come to rest queries all nodes for their counts: messages sent and handled,
// and what else grows with all activity. If a node sends and handles messages, its counts differ from those of the
// round before. If no counts differ, and as many messages were handled as sent, then no message was in flight between
// the two rounds. This class knows no messages: its user sends the queries, and adds the replies.
//
// `Counts` is a value with += and ==. A node with counts equal to Counts{} has counted nothing. All activity
// of a node, and the failure of its link to another one, must add to a count that never decreases. Otherwise the node
// might reply the same although something has happened.
//
// Threads     one at a time: the user locks, or calls it inside polls only.
// Cost        begin and end: O(nodes). The rest: O(1).
// Invariants  (1) each node counts once per round: replies of other rounds and repeated replies change nothing. (2) a
//             round is complete when each node has replied or failed. (3) rounds are compared only if the same nodes
//             have replied in both: the failure of a node invalidates the previous round, and also the open round if
//             the counts of the node are part of it.
// Source      counting messages in two rounds: Mattern, "Algorithms for distributed termination detection", 1987.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "dist/message_codec.hpp"
#include "dist/round_number.hpp"

namespace stretto::dist {

template <class Counts>
class counting_round {
 public:
  /// Begins a round in which `nodes` nodes reply, except those for which has_failed(rank) is true. Returns its number,
  /// which is that of the last round plus 1. An open round ends without comparison.
  template <class F>
  round_number begin(std::uint32_t nodes, F&& has_failed) {
    close();
    is_open_ = true;
    is_comparable_ = true;
    replies_.assign(nodes, std::nullopt);
    is_awaited_.assign(nodes, true);
    missing_ = nodes;
    for (std::uint32_t r = 0; r < nodes; ++r)
      if (has_failed(static_cast<rank>(r))) settle(r);
    return number_ = base::next(number_);
  }
  round_number begin(std::uint32_t nodes) {
    return begin(nodes, [](rank) { return false; });
  }

  /// The reply of a node to the query of round `number`. Returns false and changes nothing if that round is not open,
  /// or the node is not awaited in it.
  bool add(rank from, round_number number, Counts counts) {
    if (number != number_ || !awaits(from)) return false;
    replies_[from] = std::move(counts);
    settle(from);
    return true;
  }
  /// That node will not reply any more.
  void on_node_failed(rank node) {
    forget_previous();
    if (!is_open_) return;
    if (is_awaited_[node]) return settle(node);
    if (replies_[node] == Counts{}) replies_[node].reset();
    else if (replies_[node]) is_comparable_ = false;
  }

  bool is_open() const noexcept { return is_open_; }
  /// The number of the last round that has begun; 0: none.
  round_number number() const noexcept { return number_; }
  /// True if the reply of that node to the open round is missing.
  bool awaits(rank node) const noexcept { return is_open_ && is_awaited_[node]; }
  std::uint32_t missing_replies() const noexcept { return is_open_ ? missing_ : 0; }
  bool is_complete() const noexcept { return is_open_ && missing_ == 0; }

  struct comparison {
    std::optional<Counts> previous;  // the sum of the previous round; empty if that round cannot be compared
    Counts sum;                      // of this round
    bool is_unchanged = false;       // each node has replied the same as in the previous round
  };
  /// Ends the round, which must be complete.
  comparison end() {
    comparison c;
    for (const auto& r : replies_)
      if (r) c.sum += *r;
    c.previous = std::exchange(previous_sum_, is_comparable_ ? std::optional(c.sum) : std::nullopt);
    c.is_unchanged = c.previous && previous_replies_ == replies_;
    previous_replies_ = std::move(replies_);
    is_open_ = false;
    return c;
  }
  /// Ends the round, complete or not. It is compared with no other.
  void close() noexcept { is_open_ = false; }
  /// The next round that ends is compared with no other.
  void forget_previous() noexcept { previous_sum_.reset(); }

 private:
  void settle(std::size_t node) {
    if (is_awaited_[node]) --missing_;
    is_awaited_[node] = false;
  }

  round_number number_{};
  bool is_open_ = false, is_comparable_ = false;
  std::uint32_t missing_ = 0;
  std::vector<bool> is_awaited_;                // by rank
  std::vector<std::optional<Counts>> replies_;  // by rank
  std::vector<std::optional<Counts>> previous_replies_;
  std::optional<Counts> previous_sum_;  // of the round of previous_replies_, if it can be compared
};

}  // namespace stretto::dist
