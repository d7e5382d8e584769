// failure_list.hpp - failures that come to light unless someone looks at them first.
//
// Threads     add: any. The rest: once nobody adds any more, or where what is added later may wait.
// Cost        add: a lock, and for work that was skipped a look at those kept.
// Invariants  (1) a failure is kept until it is taken or someone has observed it, up to a bound; beyond it, it is
//             counted. (2) work that was skipped because of one that is kept is not another failure.
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
  /// In order, each of another root.
  struct content {
    std::vector<failure_ref> kept;
    std::uint64_t more = 0;  // that were not kept

    bool empty() const noexcept { return kept.empty(); }
    std::uint64_t size() const noexcept { return kept.size() + more; }
  };

  /// A task failed or was skipped, or what no task stands behind. All are kept up to a bound, for any may yet be
  /// observed.
  void add(const failure_ref& cause) {
    constexpr std::size_t most_kept = 1000;
    std::scoped_lock lock(lock_);
    const auto same_root = [&](const failure_ref& other) { return &other->root() == &cause->root(); };
    if (cause->because() && std::ranges::any_of(held_.kept, same_root)) return;
    if (held_.kept.size() == most_kept) std::erase_if(held_.kept, is_observed);
    if (held_.kept.size() < most_kept)
      held_.kept.push_back(cause);
    else if (!cause->because())
      ++held_.more;
  }

  bool is_empty() {
    std::scoped_lock lock(lock_);
    return held_.empty();
  }

  /// Those that nobody has observed until now; they count as observed from now on.
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
