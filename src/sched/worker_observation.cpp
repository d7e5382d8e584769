#include "sched/worker_observation.hpp"

#include <algorithm>

#include "base/snapshot_read.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {
namespace {

std::uint64_t ready_for(const scheduler& owner, const worker& w) noexcept {
  const auto own = static_cast<std::uint64_t>(std::max<std::int64_t>(0, w.default_queue->size()));
  return own + w.bound_count() + w.urgent.size() + w.nearby.size() + owner.anywhere.size();
}

}  // namespace

std::vector<observed_worker> observe_workers(const scheduler& owner) {
  std::vector<observed_worker> found;
  for (const worker* const one : owner.victims) {
    const worker& w = *one;
    if (!w.has_thread.load(std::memory_order_seq_cst) || w.parked.load(std::memory_order_seq_cst) == 1) continue;
    if (w.has_lent_cores.load(std::memory_order_relaxed)) continue;  // a library's threads use its core
    const base::snapshot_copy<const void*> task(&w.current);
    found.push_back({.index = w.index,
                     .kernel_thread = w.kernel_thread.load(std::memory_order_relaxed),
                     .task = task ? *task : nullptr,
                     .progress = w.tasks.count() + w.steals.read() + w.suspensions.read() + w.resumptions.read(),
                     .ready = ready_for(owner, w)});
  }
  return found;
}

}  // namespace stretto::sched
