#include "ranks/process/rank.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stretto/finish.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/recent_lookups.hpp"
#include "net/mpi/job_mark.hpp"
#include "ranks/process/call_reading.hpp"
#include "ranks/program/crash_report.hpp"
#include "sched/scheduler.hpp"

namespace stretto::ranks {
namespace {

thread_local char mark_of_thread;

/// The scopes of the tasks that ranks start, by rank.
class rank_scopes {
 public:
  void add(const sched::finish_scope* scope, rank& of) {
    const std::scoped_lock lock(mutex_);
    all_[scope] = &of;
    version_.fetch_add(1, std::memory_order_release);
  }
  void remove(const sched::finish_scope* scope) {
    const std::scoped_lock lock(mutex_);
    all_.erase(scope);
    version_.fetch_add(1, std::memory_order_release);
  }
  /// Of the scope, or of one around it; null if no rank has opened any of them.
  [[gnu::noinline]] rank* find(const sched::finish_scope* scope) {
    static constinit thread_local base::recent_lookups<const sched::finish_scope, rank> recent;
    for (; scope; scope = scope->outer) {
      const std::uint64_t version = version_.load(std::memory_order_acquire);
      if (rank* const of = recent.find(scope, version, [&] { return opened_by(scope); })) return of;
    }
    return nullptr;
  }

 private:
  rank* opened_by(const sched::finish_scope* scope) {
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find(scope);
    return found != all_.end() ? found->second : nullptr;
  }

  std::mutex mutex_;
  std::atomic<std::uint64_t> version_{1};
  std::unordered_map<const sched::finish_scope*, rank*> all_;
};

rank_scopes& scopes() {
  static rank_scopes all;
  return all;
}

std::mutex registry_lock;
std::vector<rank*> registry;  // of this process, guarded by the lock
std::atomic<rank*> first_of_process = nullptr;

/// Ranks of different workers often wait for each other for a short time: to sleep and be woken takes longer.
constexpr std::uint64_t longest_spin_ns = 1'000'000;

void let_worker_spin() noexcept {
  sched::worker* const w = sched::this_thread()->as_worker;
  if (w && !w->spin.is_adaptive()) w->spin = sched::adaptive_spin(w->spin.min_ns(), longest_spin_ns);
}

void prepare_thread() {
  use_alternate_stack();
  let_worker_spin();
}

}  // namespace

const thread_identity* rank::identity_of_task() noexcept {
  const auto* const thread = sched::this_thread();
  if (!thread || !thread->current) return nullptr;
  rank* of = scopes().find(thread->scope);
  if (!of) of = first_of_process.load(std::memory_order_acquire);
  return of ? &of->copy_.thread_identity() : nullptr;
}

const void* rank::mark_of_caller() noexcept {
  return identity_of_thread() == &copy_.main_identity() ? static_cast<const void*>(this) : &mark_of_thread;
}

rank::rank(node_ranks& node, world_rank number, std::shared_ptr<const program_image> image, rank_start start)
    : node_(node),
      number_(number),
      mpi_(number, node.world(),
           std::make_shared<const communicator_members>(communicator_members{self_number, group(number, 1), {}, {}})),
      copy_(std::move(image), std::move(start)) {
  node.set_peer(number, {&messages_, nullptr});
  for (auto* const identity : {&copy_.main_identity(), &copy_.thread_identity()}) {
    identity->state = &mpi_;
    identity->whole = this;
  }
  mpi_.end = [&node](const requested_end& how) { end_job(node, how); };
  mpi_.node = node.members();
  mpi_.node_of = [&node](world_rank rank) { return node.map().node_of(rank); };
  const std::scoped_lock lock(registry_lock);
  registry.push_back(this);
  first_of_process = registry.front();
}

rank::~rank() {
  const std::scoped_lock lock(registry_lock);
  std::erase(registry, this);
  first_of_process = registry.empty() ? nullptr : registry.front();
}

void rank::for_each(const std::function<void(rank&)>& visit) {
  const std::scoped_lock lock(registry_lock);
  for (rank* const one : registry) visit(*one);
}

void rank::write_all_output() noexcept {
  std::fflush(nullptr);
  for (const rank* const one : registry) one->copy_.write_last_lines();  // no lock: the process is about to end
}

void end_job(node_ranks& node, const requested_end& how) {
  if (!node.try_claim_end()) node.wait_for_end();
  const int code = how.code & 0xff ? how.code & 0xff : 1;
  const auto report = [&how] {
    rank::write_all_output();
    std::fputs(how.message.c_str(), stderr);
    net::mpi::mark_job(net::mpi::job_mark::reported);
  };
  if (node.end_others) node.end_others(code, report);
  else report();
  std::_Exit(code);
}

void rank::run() {
  prepare_thread();
  sched::thread_state& here = *sched::this_thread();
  scheduler_ = here.owner;
  worker_ = here.index;
  const sched::finish_scope* scope = nullptr;
  finish([&] {
    scope = sched::this_thread()->scope;
    scopes().add(scope, *this);
    sched::this_thread()->companion = this;
    task_ = sched::this_thread()->current;
    const traced_rank traced{copy_.start().name, mpi_, blocked_call_};
    if (here.every_span) {
      tracks_ = std::make_unique<thread_tracks>(traced.name, mpi_, *scheduler_->recorder);
      trace_ = std::make_unique<rank_trace>(traced, *scheduler_->recorder);
      trace_->begin();
    }
    end_ = copy_.run();
    if (trace_) trace_->end();
    task_ = nullptr;
    has_ended_ = true;
    innermost_call = nullptr;  // exit and abort leave the calls in which they happen
    sched::this_thread()->companion = nullptr;
  });
  scopes().remove(scope);
  if (mpi_.phase == rank_phase::running) end_without_finalize();
}

/// Other ranks may wait for it: the job ends, as under other launchers.
void rank::end_without_finalize() const {
  const int code = end_.code ? end_.code : 1;
  std::string message;
  if (!end_.is_reported)
    message = "error R93: " + copy_.start().name + " ended without MPI_Finalize, with the exit code " +
              std::to_string(end_.code) + "\n";
  end_job(node_, {error_reaction::fatal, nullptr, code, message});
}

void rank::leave_thread() noexcept {
  copy_.leave_thread();
  blocked_call_.store(std::exchange(innermost_call, nullptr), std::memory_order_release);
}

void rank::enter_thread() noexcept {
  innermost_call = blocked_call_.load(std::memory_order_relaxed);
  blocked_call_.store(nullptr, std::memory_order_relaxed);
  call_reading::wait_until_over();
  if (wanders_) prepare_thread();
  copy_.enter_thread();
}

sched::own_track* rank::track_of(const sched::task_record* task) noexcept {
  return task && task == task_.load(std::memory_order_relaxed) ? trace_.get() : nullptr;
}

}  // namespace stretto::ranks
