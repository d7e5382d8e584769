// The implementation of leases of cores: checks, the cores and thread counts of the body.
#include <sched.h>

#include <stretto/core_lease.hpp>
#include <stretto/error.hpp>

#include <optional>
#include <string>

#include "sched/core_choice.hpp"
#include "sched/lease_state.hpp"
#include "sched/library_threads.hpp"
#include "sched/scheduler.hpp"
#include "sched/shared_core.hpp"
#include "sched/task_execution.hpp"

namespace stretto::sched {
namespace {

std::string counted_cores(std::uint32_t cores) { return std::to_string(cores) + (cores == 1 ? " core" : " cores"); }

/// The cores on which the thread may run; none: the system has more than a cpu_set_t holds.
std::optional<cpu_set_t> allowed_cores() noexcept {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  return allowed;
}

/// Suspends the calling task until the lease is in force. Throws S11.
void take(lease_state& lease) {
  worker& w = *this_thread()->as_worker;
  lease.aside.reserve(lease.cores);
  lease.waiting.where = &lease.where;
  const auto join = [](worker& now, void* self) { join_queue(*now.owner, *static_cast<lease_state*>(self)); };
  suspend(w, lease.waiting, join, &lease);
}

/// In force for the task that runs the body: it leaves the thread with the task, and comes back with it.
class lent_cores final : public thread_companion {
 public:
  explicit lent_cores(lease_state& lease) : lease_(lease), before_(allowed_cores()) {
    worker& w = *this_thread()->as_worker;
    note_core(w);
    if (before_) choose(w);
    outer_ = std::exchange(w.companion, this);
    set();
  }
  lent_cores(const lent_cores&) = delete;
  ~lent_cores() {
    this_thread()->companion = outer_;
    unset();
  }

  void leave_thread() noexcept override {
    unset();
    if (has_workers()) pause(lease_);
  }
  void enter_thread() noexcept override {
    if (has_workers()) go_on(lease_);
    set();
  }

 private:
  bool has_workers() const noexcept { return !lease_.aside.empty(); }
  void choose(const worker& w) {
    std::vector<int> of_lease{w.core.load(std::memory_order_relaxed)}, of_others;
    for (const worker* const one : lease_.aside) of_lease.push_back(one->core.load(std::memory_order_relaxed));
    for (const auto& one : w.owner->workers) of_others.push_back(one->core.load(std::memory_order_relaxed));
    cores_ = choose_cores(lease_.cores, *before_, of_lease, of_others);
  }
  void set() {
    const int count = static_cast<int>(lease_.cores);
    this_thread()->as_worker->has_lent_cores.store(true, std::memory_order_relaxed);
    if (before_) ::sched_setaffinity(0, sizeof cores_, &cores_);
    libraries_.set(count);
    if (before_ && count > 1) bind_team(count, cores_);
  }
  void unset() noexcept {
    libraries_.restore();
    if (before_) ::sched_setaffinity(0, sizeof *before_, &*before_);
    this_thread()->as_worker->has_lent_cores.store(false, std::memory_order_relaxed);
  }

  lease_state& lease_;
  const std::optional<cpu_set_t> before_;
  cpu_set_t cores_{};
  library_threads libraries_;
  thread_companion* outer_ = nullptr;
};

}  // namespace
}  // namespace stretto::sched

namespace stretto::detail {

using namespace sched;

/// With one worker there is nothing to set aside, and no other lease to wait for.
struct held_cores::state {
  state(std::uint32_t cores, const std::source_location& where)
      : owner(*this_thread()->owner), lease(cores, where), is_queued(owner.workers.size() > 1) {
    if (is_queued) take(lease);
    sched::worker& w = *this_thread()->as_worker;
    w.current->bound = static_cast<std::uint16_t>(w.index + 1);  // the thread's libraries have their state here
    try {
      lent.emplace(lease);
    } catch (...) {
      end();
      throw;
    }
  }
  ~state() {
    lent.reset();
    end();
  }
  void end() noexcept {
    if (is_queued) sched::give_back(owner, lease);
  }

  scheduler& owner;
  lease_state lease;
  const bool is_queued;
  std::optional<lent_cores> lent;
};

held_cores::held_cores(std::uint32_t cores, const std::source_location& where)
    : state_(std::make_unique<state>(cores, where)) {}
held_cores::~held_cores() = default;

void check_lease(std::uint32_t cores, const std::source_location& where) {
  thread_state* const t = this_thread();
  if (!t) base::require_current("lease_cores");
  const auto workers = static_cast<std::uint32_t>(t->owner->workers.size());
  if (cores < 1 || cores > workers)
    throw error("S24", "a lease of " + counted_cores(cores) + " was requested from a runtime with " +
                           std::to_string(workers) + (workers == 1 ? " worker" : " workers"))
        .fact("called", where)
        .because(cores < 1 ? "the body itself runs on one of the cores"
                           : "a lease sets one worker aside for each of its cores")
        .remedy("lease 1 to " + std::to_string(workers) + " cores, or create the runtime with more workers");
  if (dynamic_cast<const lent_cores*>(t->companion))
    throw error("S25", "a lease of " + counted_cores(cores) + " was requested inside the body of a lease")
        .fact("called", where)
        .because("one lease is in force at a time, so the inner one would begin after this body has ended")
        .remedy("use the cores that the body has, or request the lease after it: lease_cores(after(outer), ...)");
}

}  // namespace stretto::detail
