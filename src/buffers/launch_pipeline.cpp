#include "buffers/launch_pipeline.hpp"

#include <stretto/task.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "buffers/call_signatures.hpp"
#include "buffers/graph_generation.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::buffers {
namespace {

// Launches with at least this predicted submission time are enqueued.
constexpr std::uint32_t least_pipelined_ns = 3'000;
constexpr const char* task_name = "graphs of buffers";
constexpr std::uint64_t launches_per_lock = 8;  // after so many the buffers are unlocked for waiting threads

task_outcome submit_pending(buffers_state& s, pending_launch& l, base::thread_context& context) {
  cached_launch& cached = *l.is;
  task_work work;
  work.code = l.code;
  if (l.host) work.host = &l.host;
  if (l.values)
    l.values->each(*l.code, [&](std::size_t i, const std::byte* at) {
      if (l.code->parameters[i].mode == access::value) cached.arguments[i].value = at;
      else std::memcpy(&cached.arguments[i].local_elements, at, sizeof(std::int64_t));
    });
  work.arguments = cached.arguments;
  work.task = &cached.task;
  work.folds = cached.folds;
  work.range = l.range;
  work.request = l.request;
  work.first = l.first;
  if (s.pipeline_failure) std::rethrow_exception(s.pipeline_failure);
  if (l.code && shows_speed(cached.task)) work.measured = s.weights.open();
  if (s.guard) record_call(s, cached.call, l.range.where);
  const submission_timer measured(s, cached);
  try {
    return submit_task(s, cached.task, work, context);
  } catch (...) {
    s.pipeline_failure = std::current_exception();  // later launches may need its results
    throw;
  }
}

/// Submits one pending launch and triggers its event. Requires that `s` is held.
void submit_next(buffers_state& s, pending_launch& l, sched::thread_state& t) {
  const sched::counted_in in_scope_of_call(t, l.scope);
  failure_ref why;
  event done;
  try {
    done = submit_pending(s, l, t).done;
  } catch (...) {
    why = detail::make_failure(std::current_exception(), "launch \"" + l.is->task.name + "\"", l.range.where);
  }
  if (why) {
    detail::report(why, t);
    detail::end_event(l.done, why, t, l.range.where);
  } else {
    l.done.trigger(done, l.range.where);
  }
  l.host = nullptr;  // releases what it owns as early as a submission in the call would
  l.values.reset();
  l.is.reset();
  sched::count_ended(t, l.scope);
}

sched::thread_state& thread_of(base::thread_context& context) { return static_cast<sched::thread_state&>(context); }

/// Submits pending launches as far as back pressure allows; true if none is left. Requires that `s` is held.
bool submit_all(buffers_state& s, std::uint64_t most, submission_lock::waits w, sched::thread_state& t) {
  pending_launches& pending = *s.pending;
  for (std::uint64_t n = 0; n < most; ++n) {
    pending_launch* const l = pending.oldest();
    if (!l) return true;
    if (w == submission_lock::waits::yes && !s.back_pressure.has_triggered()) return false;
    submit_next(s, *l, t);
    pending.pop();
  }
  return !pending.oldest();
}

/// The body of the submitting task.
void drain_in_task(buffers_state& s) {
  pending_launches& pending = *s.pending;
  for (;;) {
    event ahead;
    std::source_location where;  // of the next pending launch
    bool are_all = false;
    {
      const buffers_lock held(s);
      are_all =
          submit_all(s, launches_per_lock, submission_lock::waits::yes, thread_of(base::require_current("launch")));
      if (!are_all) ahead = s.back_pressure, where = pending.oldest()->range.where;
    }
    if (!ahead.has_triggered()) {
      async(after(ignore_failure(ahead, where)), name(task_name), [&s] { drain_in_task(s); }, where);
      return;
    }
    if (!are_all) continue;
    pending.has_consumer.store(false, std::memory_order_seq_cst);
    if (pending.is_empty() || pending.has_consumer.exchange(true, std::memory_order_seq_cst)) return;
  }
}

/// True if an idle worker would begin at once.
bool is_a_worker_free(const sched::thread_state& t) noexcept {
  return t.owner->searching_and_parked.load(std::memory_order_relaxed) != 0;
}

bool may_be_refused(const buffers_state& s, const cached_launch& cached) noexcept {
  return !cached.is_never_refused && cached.checked_in_epoch != s.check_epoch.load(std::memory_order_relaxed);
}

/// In ns; 0 if not measured yet.
std::uint32_t predicted_submission_ns(const buffers_state& s, cached_launch& cached) noexcept {
  const std::uint32_t ns = std::atomic_ref(cached.submission_ns).load(std::memory_order_relaxed);
  return ns ? ns : std::atomic_ref(s.pending->new_launch_ns).load(std::memory_order_relaxed);
}

bool should_enqueue(const buffers_state& s, cached_launch* cached, const launch_call& l, const sched::thread_state& t) {
  if (!cached || may_be_refused(s, *cached)) return false;
  if (s.pending->is_full() || l.work->request.profile || t.observer) return false;
  if (l.host && s.check) return false;  // the checks refer to mappers in the stack frame of the caller
  if (s.guard && s.guard->has_failed_or_diverged()) return false;
  if (s.pipeline == pipeline_mode::always) return true;
  return !s.pending->is_empty() || (predicted_submission_ns(s, *cached) >= least_pipelined_ns && is_a_worker_free(t));
}

}  // namespace

submission_lock::submission_lock(buffers_state& s) : s_(s) {
  if (s.pending) submission_ = std::unique_lock(s.pending->submission_mutex);
  else buffers_.emplace(s);
}

bool submission_lock::drain(waits w, const std::source_location& where) {
  if (!s_.pending) return false;
  for (bool has_unlocked = false;; has_unlocked = true) {
    buffers_.emplace(s_);
    if (!s_.pending->oldest() || submit_all(s_, ~std::uint64_t{0}, w, thread_of(base::require_current("launch"))))
      return has_unlocked;
    const event ahead = s_.back_pressure;
    buffers_.reset();
    submission_.unlock();
    wait(ignore_failure(ahead, where), where);
    submission_.lock();
  }
}

bool submission_lock::lock_buffers(const std::source_location& where) {
  const bool has_unlocked = drain(waits::yes, where);
  if (s_.pipeline_failure) std::rethrow_exception(s_.pipeline_failure);
  return has_unlocked;
}

std::optional<event> try_enqueue(buffers_state& s, const std::shared_ptr<cached_launch>& cached,
                                 const launch_call& call, base::thread_context& context) {
  sched::thread_state& t = thread_of(context);
  if (!s.pending || !should_enqueue(s, cached.get(), call, t)) return std::nullopt;
  pending_launch& l = s.pending->next_slot();
  l.is = cached;
  l.code = call.code;
  if (call.host) l.host = std::move(*call.host);
  if (call.code)
    l.values.emplace(*call.code, [&](std::size_t i, std::byte* at) {
      const kernel_parameter& p = call.code->parameters[i];
      if (p.mode == access::value) std::memcpy(at, call.items[i].value, p.element_bytes);
      else std::memcpy(at, &call.items[i].local_elements, sizeof(std::int64_t));
    });
  l.range = call.work->range;
  l.request = call.work->request;
  if (!l.request.name.empty()) l.request.name = cached->task.name;  // whose text outlives the call
  l.first = call.work->first;
  const user_event done = user_event::create(l.range.where);
  l.done = done;
  l.scope = t.scope;
  sched::count_spawned(t);
  s.pending->push();
  if (!s.pending->has_consumer.exchange(true, std::memory_order_seq_cst)) {
    const sched::outside_of_finishes everywhere(t);
    if (t.as_worker)
      ++t.as_worker->spawn_suspension_disabled;  // others would wait while this thread holds `submission_mutex`
    async(name(task_name), [&s] { drain_in_task(s); }, l.range.where);
    if (t.as_worker) --t.as_worker->spawn_suspension_disabled;
  }
  return done;
}

submission_timer::submission_timer(buffers_state& s, cached_launch& of) {
  if (s.pipeline != pipeline_mode::by_cost) return;
  const std::uint32_t n = of.submissions++;
  if (n >= 8 && n % 16 != 0) return;
  // the first submission of a launch does work that repeated ones do not
  of_ = n == 0 ? &s.pending->new_launch_ns : &of.submission_ns;
  since_ = base::nanoseconds_now();
}

submission_timer::~submission_timer() {
  if (!since_) return;
  const auto taken_ns =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(base::nanoseconds_now() - since_, 1'000'000));
  const std::atomic_ref<std::uint32_t> ns(*of_);
  const std::uint32_t before = ns.load(std::memory_order_relaxed);
  // One long time may be due to other load on the machine, so the estimate grows by at most a quarter.
  ns.store(before ? std::min(taken_ns, before + before / 4 + 1) : taken_ns, std::memory_order_relaxed);
}

}  // namespace stretto::buffers
