#include "sched/scheduler_lifetime.hpp"

#include <stretto/error.hpp>

#include <chrono>
#include <system_error>
#include <thread>

#include "event/event_floor.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"
#include "sched/waiting.hpp"
#include "sched/work_search.hpp"
#include "trace/recorder.hpp"

namespace stretto::sched {
namespace {

constexpr std::chrono::microseconds pause_for_program_threads{200};

/// Nothing runs any more. The queues hold only tasks that were cancelled there, each with its executor's reference.
void drop_cancelled(worker& w) noexcept {
  base::set_current(&w);
  const auto next = [&w] {
    const item own = next_of_own(w);
    return own ? own : take_submitted(w);
  };
  while (const item i = next()) task_in(i)->release();
}

/// To be called once `stop` is set.
void end_threads(scheduler& s) noexcept {
  s.wake_all();
  for (auto& w : s.workers)
    if (w->thread.joinable()) w->thread.join();
  s.call_substitute();
  if (s.substitute && s.substitute->as->thread.joinable()) s.substitute->as->thread.join();
  s.call_spares();
  for (auto& w : s.spares)
    if (w->thread.joinable()) w->thread.join();
  // Freeing records and scopes needs a thread's caches.
  base::thread_context* const before = base::set_current(s.workers[0].get());
  if (s.substitute) drop_cancelled(*s.substitute->as);
  for (worker* const w : s.victims) drop_cancelled(*w);
  base::set_current(s.workers[0].get());
  close_scope(*s.workers[0], s.root);
  base::set_current(before);
}

/// The error for failures that the program can no longer observe.
std::optional<error> take_unobserved(scheduler& s, const std::function<bool(const failure&)>& is_known) {
  failure_list::content left = s.unobserved.take();
  const failure_list::content of_tasks = s.root->failures.take();
  left.kept.insert(left.kept.end(), of_tasks.kept.begin(), of_tasks.kept.end());
  if (is_known) std::erase_if(left.kept, [&](const failure_ref& f) { return is_known(*f.get()); });
  if (left.empty()) return {};
  const failure& first = *left.kept.front().get();
  const auto count = left.size() + of_tasks.more;
  return error("S13", "a runtime ended with " + (count == 1 ? "a failure" : std::to_string(count) + " failures") +
                          " that the program did not observe")
      .fact(count == 1 ? "failed" : "first", first.who())
      .fact("at", first.where())
      .because(exception_text(first.as_exception()))
      .remedy("wait for work that may fail, or get its result, before the runtime ends")
      .caused_by(first.as_exception());
}

}  // namespace

std::unique_ptr<scheduler> start(base::runtime_context& runtime, scheduler_paths paths,
                                 const scheduler_settings& settings) {
  auto s = std::make_unique<scheduler>(runtime, std::move(paths), settings);
  s->root = open_scope(*s->workers[0], std::source_location::current());
  for (worker* const w : s->victims) reserve_stack(*w);
  std::uint32_t started = 1;
  try {
    for (; !settings.stepped && started < s->workers.size(); ++started)
      s->workers[started]->thread = std::thread([w = s->workers[started].get()] { run_thread(*w); });
    for (auto& spare : s->spares) spare->thread = std::thread([w = spare.get()] { run_thread(*w); });
  } catch (const std::system_error& e) {
    const auto wanted = s->workers.size();
    s->stop.store(true, std::memory_order_release);
    end_threads(*s);
    throw error("S10", "the system cannot create a thread for worker " + std::to_string(started) + " of " +
                           std::to_string(wanted))
        .because(e.what())
        .remedy("ask for fewer workers, or raise the limits of processes and memory (ulimit -u, ulimit -v)");
  }
  if (settings.polls) settings.polls->begin(*s);
  return s;
}

void begin_substitute(scheduler& s) {
  if (!s.substitute) return;
  substitute_worker& one = *s.substitute;
  const std::scoped_lock lock(one.mutex);
  if (one.has_begun.load(std::memory_order_relaxed)) return;
  reserve_stack(*one.as);
  if (s.recorder) one.as->ring = &s.recorder->add_ring("substitute of worker 0");
  try {
    one.as->thread = std::thread([w = one.as.get()] { run_thread(*w); });
  } catch (const std::system_error& e) {
    throw error("S10", "the system cannot create a thread to replace the only worker")
        .because(e.what())
        .remedy("raise the limits of processes and memory (ulimit -u, ulimit -v)");
  }
  one.has_begun.store(true, std::memory_order_release);
}

std::optional<error> stop(scheduler& s, const std::function<void()>& last, const std::function<bool()>& pending,
                          const std::function<bool(const failure&)>& is_known,
                          const std::function<bool()>& close) noexcept {
  worker& first = *s.workers[0];
  enter_worker(first);
  s.draining.store(true, std::memory_order_seq_cst);
  s.wake_all();  // from now on, the last worker to fall asleep poisons untriggered events
  // Operations that end may make tasks ready, and these may start further operations.
  const auto drain = [&] {
    wait_for_scope(*s.root);
    while (pending && pending()) {
      if (!s.polls || !s.polls->poll_idle(first)) std::this_thread::yield();
      wait_for_scope(*s.root);
    }
  };
  drain();
  if (last) last();
  drain();
  // Operations without a task, such as a copy or a kernel on a device, may wait for events that are never triggered.
  while (detail::poison_untriggered(first)) drain();
  while (close ? !close() : s.has_program_threads()) {  // they may submit and wait for anything until they detach
    std::this_thread::sleep_for(pause_for_program_threads);
    drain();
    while (detail::poison_untriggered(first)) drain();
  }
  if (s.polls) s.polls->end();
  std::optional<error> unobserved = take_unobserved(s, is_known);
  leave_worker(first);
  s.stop.store(true, std::memory_order_release);
  end_threads(s);
  return unobserved;
}

}  // namespace stretto::sched
