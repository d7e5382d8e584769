// known_ends.hpp - how the generations of an event slot, or the phases of a barrier, of another node have ended, as far
// as this node knows, and what waits here for the others.
//
// The first query about a generation goes to the owner, which notifies this node when it has ended. A notification
// covers all generations since the last one that this node knew, so that one for a later generation serves the earlier
// ones. If this node ends a generation itself, it infers that, and needs no notification.
//
// `Number` is an unsigned number. `Waiting` is what waits for one generation, such as a list; Waiting() is nothing.
//
// Threads     one at a time: the user locks, and ends what waits without the lock.
// Invariants  (1) a known or inferred end does not change. (2) what waits is returned once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "event/failure.hpp"

namespace stretto::dist {

template <class Number, class Waiting>
class known_ends {
 public:
  /// Inferred ends above a gap are stored one by one. When there are so many, a notification is wanted after all.
  static constexpr std::size_t most_inferred = 8;

  /// Of a generation that has not ended, as far as this node knows.
  struct query {
    Number of;
    Waiting waiting = {};
  };
  /// The caller must end `waiting`, with that failure if there is one.
  struct ended {
    Number of;
    Waiting waiting;
    failure_ref cause;
  };

  explicit known_ends(Number first) noexcept : ended_below_(first) {}

  /// All generations below this one have ended; the owner must report later ones.
  Number ended_below() const noexcept { return ended_below_; }
  bool has_ended(Number n) const noexcept {
    return n < ended_below_ || std::ranges::find(inferred_, n) != inferred_.end();
  }
  /// Why a generation has ended, if it was poisoned.
  failure_ref cause_of(Number n) const noexcept {
    const auto found = std::ranges::find(poisons_.rbegin(), poisons_.rend(), n, &poison::of);
    return found == poisons_.rend() ? failure_ref() : found->cause;
  }
  /// Set once no more ends will be reported: all other generations end with it.
  const failure_ref& failure() const noexcept { return failure_; }
  const std::vector<query>& queries() const noexcept { return queries_; }

  /// The query for a generation that has not ended, and whether it is the first: the owner must then be asked.
  std::pair<query&, bool> ask(Number n) {
    const auto found = std::ranges::find(queries_, n, &query::of);
    if (found != queries_.end()) return {*found, false};
    return {queries_.emplace_back(query{n}), true};
  }
  /// This node ends a generation without a failure. Returns true if it knows that from now on and needs no
  /// notification.
  bool infer(Number n) {
    if (failure_ || has_ended(n)) return false;  // if it had ended before, the owner will report that
    if (n == ended_below_) {
      end_below(n + 1);
      return true;
    }
    if (std::ranges::find(queries_, n, &query::of) == queries_.end()) return false;
    inferred_.push_back(n);
    return inferred_.size() < most_inferred;
  }
  /// The owner's report: all generations below `present` have ended, the ones of `poisoned` with their failures.
  template <class Poisoned>
  void learn(Number present, const Poisoned& poisoned) {
    for (const auto& [n, cause] : poisoned)
      if (!has_ended(n)) poisons_.push_back({n, cause});
    end_below(std::max(ended_below_, present));
  }
  /// Removes the queries of generations that have ended.
  [[nodiscard]] std::vector<ended> take_ended() {
    std::vector<ended> all;
    std::erase_if(queries_, [&](const query& q) {
      if (!has_ended(q.of)) return false;
      if (q.waiting != Waiting()) all.push_back({q.of, q.waiting, cause_of(q.of)});
      return true;
    });
    return all;
  }
  /// No end will be reported any more. Removes all queries.
  [[nodiscard]] std::vector<ended> fail(const failure_ref& why) {
    failure_ = why;
    std::vector<ended> all;
    for (const query& q : std::exchange(queries_, {}))
      if (q.waiting != Waiting()) all.push_back({q.of, q.waiting, why});
    return all;
  }

 private:
  struct poison {
    Number of;
    failure_ref cause;
  };
  void end_below(Number n) {
    std::ranges::sort(inferred_);
    auto first = inferred_.begin();
    while (first != inferred_.end() && *first <= n) n = std::max(n, *first++ + 1);
    inferred_.erase(inferred_.begin(), first);
    ended_below_ = n;
  }

  Number ended_below_;
  std::vector<poison> poisons_;   // below ended_below_
  std::vector<Number> inferred_;  // not below ended_below_
  std::vector<query> queries_;    // neither below ended_below_ nor inferred, once take_ended() was called
  failure_ref failure_;
};

}  // namespace stretto::dist
