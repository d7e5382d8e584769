// failure_list.hpp - failures that are reported unless the program observes them first.
//
// Threads     add: any. The rest: once no thread adds any more, or where later failures may be reported later.
// Cost        add: a lock, and for skipped work a search among the kept failures.
// Invariants  (1) a failure is kept until take() or until the program has observed it, up to a bound; beyond it,
//             failures are counted only. (2) work skipped because of a kept failure does not count as another failure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "event/failure.hpp"

namespace stretto::sched {

class failure_list {
 public:
  /// In order, each with a root of its own.
  struct content {
    std::vector<failure_ref> kept;
    std::uint64_t more = 0;  // failures that were not kept

    bool empty() const noexcept { return kept.empty(); }
    std::uint64_t size() const noexcept { return kept.size() + more; }
  };

  /// Adds the failure of a task that failed or was skipped, or of an operation without a task. Kept up to a bound,
  /// since the program may still observe it.
  void add(const failure_ref& cause) {
    constexpr std::size_t most_kept = 1000;
    std::scoped_lock lock(lock_);
    const auto same_root = [&](const failure_ref& other) { return &other->root() == &cause->root(); };
    if (cause->because() && std::ranges::any_of(held_.kept, same_root)) return;
    if (held_.kept.size() == most_kept) std::erase_if(held_.kept, is_observed);
    if (held_.kept.size() < most_kept) held_.kept.push_back(cause);
    else if (!cause->because()) ++held_.more;
  }

  bool is_empty() {
    std::scoped_lock lock(lock_);
    return held_.empty();
  }

  /// Removes all failures and returns those that are not yet observed; they count as observed from now on.
  content take() {
    std::unique_lock lock(lock_);
    content taken = std::exchange(held_, {});
    lock.unlock();
    std::erase_if(taken.kept, is_observed);
    for (const failure_ref& f : taken.kept) f->mark_observed();
    return taken;
  }

 private:
  static bool is_observed(const failure_ref& f) noexcept { return f->is_observed(); }

  base::spin_lock lock_;
  content held_;
};

}  // namespace stretto::sched
