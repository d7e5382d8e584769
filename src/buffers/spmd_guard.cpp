#include "buffers/spmd_guard.hpp"

#include <utility>
#include <variant>

#include "buffers/transfer_tags.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "sched/scheduler.hpp"
#include "sched/work_search.hpp"

namespace stretto::buffers {
namespace {

constexpr const char *tasks_of_others = "what a node has not done", *calls_of_nodes = "what nodes ask of buffers";

/// The minimum time before replying that this node cannot catch up: a second while it is busy; if idle, long enough for
/// messages in flight. Under stepping all messages are visible: none.
std::uint64_t patience_of(const base::thread_context& context) {
  const sched::scheduler& s = *static_cast<const sched::thread_state&>(context).owner;
  if (s.settings.stepped) return 0;
  return sched::is_idle_in_poll(s) ? 30'000'000 : 1'000'000'000;
}

/// Makes a failure that counts as observed, because the run reports its cause.
failure_ref observed_failure(const error& e, const char* who) {
  const failure_ref why = detail::make_failure(std::make_exception_ptr(e), who, {});
  why->mark_observed();
  return why;
}

}  // namespace

spmd_guard::compared_calls::compared_calls(spmd_guard& of)
    : detector(history, of.job_.self(), of.job_.nodes(),
               {.send =
                    [&of](std::uint32_t to, const divergence_detector::message& any) {
                      std::visit([&](const auto& m) { of.job_.send(static_cast<dist::rank>(to), m); }, any);
                    },
                .on_divergence = [&of](const divergence_report& d,
                                       base::thread_context& context) { of.on_divergence(d, context); },
                .patience_ns = patience_of}) {}

spmd_guard::spmd_guard(dist::job& j, compares c, std::function<void()> on_failure_or_divergence)
    : job_(j), compares_(c), on_failure_or_divergence_(std::move(on_failure_or_divergence)) {
  j.on<&spmd_guard::on_detector_message<history_report>>(this);
  j.on<&spmd_guard::on_detector_message<history_query>>(this);
  j.on<&spmd_guard::on_detector_message<history_reply>>(this);
  j.on<&spmd_guard::on_detector_message<divergence_verdict>>(this);
  j.on<&spmd_guard::on_run_failure>(this);
  j.add_advancing(*this);
}

void spmd_guard::start() { calls_.emplace(*this); }

void spmd_guard::stop() noexcept {
  const std::scoped_lock lock(lock_);
  calls_.reset();
  divergence_.reset();
  failed_.reset();
}

void spmd_guard::add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where) {
  if (has_diverged_.load(std::memory_order_acquire)) {
    const std::scoped_lock lock(lock_);
    throw error(*divergence_);
  }
  if (task != call_history::no_task && task >= first_missing_task_.load(std::memory_order_acquire)) throw *failure();
  if (compares_ == compares::yes) calls_->history.add(std::move(c), task, where);
}

void spmd_guard::end(ended how) {
  if (how == ended::normally && calls_->history.calls() != 0)
    calls_->history.add(std::make_shared<const call_signature>(buffer_call{}), call_history::no_task, {});
  calls_->detector.end();
}

void spmd_guard::wait_for_verdict(const std::source_location& where) {
  if (calls_->history.calls() == 0 || has_diverged_.load(std::memory_order_acquire)) return;
  const user_event known = user_event::create(where);
  calls_->detector.request_verdict([known, where] { known.trigger(where); }, base::require_current("run"));
  wait(known, where);
}

std::optional<error> spmd_guard::fail(std::uint64_t tasks, const std::exception_ptr& why,
                                      const std::source_location& where) {
  if (const std::optional<error> of_another = failed_run_in(why)) {
    if (auto known = failure()) return known;
    is_reported_.store(true, std::memory_order_relaxed);  // the poison of that failure has arrived before its message
    return of_another;
  }
  const failed_run r = failed_run_of(job_.self(), tasks, why, where);
  if (!record_failed_run(r, base::require_current("run"))) return std::nullopt;
  const run_failure m = message_of(r);
  for (dist::rank n = 0; n < job_.nodes(); ++n)
    if (n != job_.self()) job_.send(n, m);
  return std::nullopt;
}

void spmd_guard::on_run_failure(dist::rank, const run_failure& m, base::thread_context& context) {
  if (calls_) record_failed_run(failed_run_of(m), context);
}

bool spmd_guard::record_failed_run(const failed_run& r, base::thread_context& context) {
  const error e = error_of(r);
  {
    const std::scoped_lock lock(lock_);
    if (r.tasks >= first_missing_task_.load(std::memory_order_relaxed)) return false;
    failed_ = e;
    first_missing_task_.store(r.tasks, std::memory_order_release);
  }
  data::state_of(context).others->fail_posted(first_tag_of(r.tasks), observed_failure(e, tasks_of_others), context);
  if (on_failure_or_divergence_) on_failure_or_divergence_();
  return true;
}

std::optional<error> spmd_guard::failure() {
  const std::scoped_lock lock(lock_);
  if (failed_) is_reported_.store(true, std::memory_order_relaxed);
  return failed_;
}

std::optional<error> spmd_guard::take_divergence() {
  const std::scoped_lock lock(lock_);
  if (divergence_) is_reported_.store(true, std::memory_order_relaxed);
  return divergence_;
}

std::optional<error> spmd_guard::unreported(std::uint64_t tasks) {
  if (is_reported_.load(std::memory_order_relaxed)) return std::nullopt;
  if (auto e = take_divergence()) return e;
  return tasks > first_missing_task_.load(std::memory_order_acquire) ? failure() : std::nullopt;
}

void spmd_guard::fail_stuck_waits(base::thread_context& context) {
  failure_ref why;
  {
    const std::scoped_lock lock(lock_);
    if (divergence_) why = observed_failure(*divergence_, calls_of_nodes);
    else if (failed_) why = observed_failure(*failed_, tasks_of_others);
  }
  if (why) detail::poison_stuck(context, why);
}

void spmd_guard::on_divergence(const divergence_report& d, base::thread_context& context) {
  const error e = error_of(d);
  {
    const std::scoped_lock lock(lock_);
    divergence_ = e;
  }
  has_diverged_.store(true, std::memory_order_release);
  // Waits for elements of other nodes would never end.
  data::state_of(context).others->fail_posted(0, observed_failure(e, calls_of_nodes), context);
  if (on_failure_or_divergence_) on_failure_or_divergence_();
}

}  // namespace stretto::buffers
