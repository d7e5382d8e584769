#include "sched/shared_core.hpp"

#include <sched.h>

#include "base/kept_errno.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {
namespace {

constexpr std::uint64_t least_stay_ns = 1'000'000;

bool is_awake(const worker& w) noexcept { return !w.parked.load(std::memory_order_relaxed); }

/// The cores of `allowed` that no worker was on when it last published its core.
cpu_set_t unused_cores(cpu_set_t allowed, const scheduler& owner) noexcept {
  for (const auto& one : owner.workers)
    if (const int core = one->core.load(std::memory_order_relaxed); core >= 0 && core < CPU_SETSIZE)
      CPU_CLR(core, &allowed);
  return allowed;
}

}  // namespace

void note_core(worker& w) noexcept { w.core.store(sched_getcpu(), std::memory_order_relaxed); }

bool is_core_shared(const worker& w) noexcept {
  const int own = w.core.load(std::memory_order_relaxed);
  for (const auto& other : w.owner->workers)
    if (other.get() != &w && other->core.load(std::memory_order_relaxed) == own && is_awake(*other)) return true;
  return false;
}

bool leave_core(worker& w, std::uint64_t now_ns) noexcept {
  if (now_ns < w.stays_until_ns) return false;
  w.stays_until_ns = now_ns + least_stay_ns;
  const base::kept_errno kept;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;  // more cores than a cpu_set_t has
  const cpu_set_t unused = unused_cores(allowed, *w.owner);
  if (CPU_COUNT(&unused) == 0 || sched_setaffinity(0, sizeof unused, &unused) != 0) return false;
  sched_setaffinity(0, sizeof allowed, &allowed);
  note_core(w);
  return true;
}

}  // namespace stretto::sched
