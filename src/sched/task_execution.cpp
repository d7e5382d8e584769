#include "sched/task_execution.hpp"

#include <stretto/detail/handler_span.hpp>

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/sanitizers.hpp"
#include "event/event_floor.hpp"
#include "sched/own_track.hpp"
#include "sched/profile_state.hpp"
#include "sched/ready_queues.hpp"
#include "sched/scope_counting.hpp"
#include "sched/spare_workers.hpp"
#include "sched/stack_overflow.hpp"
#include "sched/step_aside.hpp"
#include "sched/stepped_execution.hpp"
#include "sched/substitute.hpp"
#include "sched/task_spans.hpp"
#include "sched/work_search.hpp"

namespace stretto::sched {
namespace {

void worker_loop();

/// With fewer bytes of stack left than this, a waiting task does not run another on top of itself.
constexpr std::size_t inline_margin = 48 << 10;

/// State of the C++ runtime: exceptions that are handled or thrown belong to the task, not to the thread.
struct exception_state {
  void* caught;
  unsigned uncaught;
};
/// Never inlined, and calls are never merged: the library declares its accessor constant per thread, but a suspension
/// may change the thread.
[[gnu::noinline]] exception_state& exceptions_in_flight() noexcept {
  asm volatile("");
  return *reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
}

struct thread_stack_bounds {
  void* bottom = nullptr;
  std::size_t bytes = 0;
};
/// A stepped worker enters at each step, and uses the cached bounds: for the process's first thread, the C library
/// reads them from /proc/self/maps.
[[gnu::noinline]] thread_stack_bounds own_stack(bool may_be_known) noexcept {
  static constinit thread_local thread_stack_bounds known;
  pthread_attr_t attributes;
  if (!(may_be_known && known.bytes) && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &known.bottom, &known.bytes);
    pthread_attr_destroy(&attributes);
  }
  // A fiber, for example a task of another copy of this library, has another stack. No task runs on top of it, since we
  // do not know where that stack ends.
  auto* const here = static_cast<std::byte*>(__builtin_frame_address(0));
  auto* const bottom = static_cast<std::byte*>(known.bottom);
  if (here < bottom || here >= bottom + known.bytes) return {here, 0};
  return known;
}

const std::byte* floor_of(const worker& w, const stack* s) noexcept {
  const auto* bottom = s ? s->base : static_cast<const std::byte*>(w.own_stack_bottom);
  const auto bytes = s ? s->bytes : w.own_stack_bytes;
  return bottom + std::min(inline_margin, bytes / 2);
}

/// Switches to another stack: a fresh pooled one, a suspended one, or the thread's own (on = null).
void go_to(worker& w, saved_stack* save, void** fake_stack_save, saved_stack to, stack* on, void* fiber) noexcept {
  w.running_on = on;
  w.stack_floor = floor_of(w, on);
  base::stack_switch::leaving(fake_stack_save, fiber, on ? on->base : w.own_stack_bottom,
                              on ? on->bytes + sizeof(stack) : w.own_stack_bytes);
  switch_stack(save, to);
}

/// Must be called first on a stack that was switched to.
worker& arrive(void* fake_stack) noexcept {
  base::stack_switch::arrived(fake_stack);
  worker& w = *this_thread()->as_worker;
  if (const auto hook = std::exchange(w.after_switch, nullptr)) hook(w, w.after_switch_argument);
  return w;
}

void recycle_stack(worker& w, void* s) {
  if (w.spare_stacks.size() < 16) w.spare_stacks.push_back(static_cast<stack*>(s));
  else w.owner->stacks.give(static_cast<stack*>(s));
}

stack* take_stack(worker& w) {
  if (w.spare_stacks.empty()) return w.owner->stacks.take(worker_loop);
  stack* s = w.spare_stacks.back();
  w.spare_stacks.pop_back();
  stack_pool::prepare(s, worker_loop);
  return s;
}

/// After leave_thread(); null is none.
void enter_again(worker& w, thread_companion* companion) noexcept {
  w.companion = companion;
  if (companion) [[unlikely]]
    companion->enter_thread();
}

/// Called from a worker loop, whose stack holds nothing else: resumes `s` and recycles this stack.
[[noreturn]] void continue_and_recycle(worker& w, suspension& s) {
  saved_stack nowhere;
  w.after_switch = recycle_stack;
  w.after_switch_argument = w.running_on;
  go_to(w, &nowhere, nullptr, s.saved, s.on, s.fiber);
  __builtin_unreachable();
}

}  // namespace

void end_task(thread_state& t, task_record& r, failure_ref cause) noexcept {
  finish_scope* const scope = r.scope;
  if (cause) [[unlikely]]
    scope->failures.add(cause);
  r.complete(std::move(cause), t);
  count_ended(t, scope);
}

const failure* take_thrown(task_record& task) noexcept {
  task.flags = static_cast<std::uint8_t>(task.flags & ~task_record::has_value);
  return detail::make_failure(std::current_exception(), detail::describe_task(task), task.where).detach();
}

void skip_task(thread_state& t, task_record& r, failure_ref cause) noexcept {
  r.drop_body();
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  end_task(t, r, std::move(cause));
}

worker& run_timed(worker& w, task_record& task) {
  const std::uint64_t made_ready_by = w.every_span ? task.made_ready_by() : 0;
  const outer_span outer = begin_span(w, task);
  const failure* thrown = run_body(w, task);
  worker& now = *this_thread()->as_worker;
  end_span(now, task, made_ready_by);
  end_run(now, task, thrown);  // tasks that it makes ready name it as the cause
  continue_span(now, outer);
  return now;
}

void suspend(worker& w, suspension& s, void (*hook)(worker&, void*), void* argument) {
  // First of all: what follows makes system calls, which change errno.
  thread_companion* const companion = std::exchange(w.companion, nullptr);
  if (companion) [[unlikely]]
    companion->leave_thread();
  const item next = w.owner->settings.stepped || is_to_step_aside(w) ? 0 : next_local(w);  // stepped: it is drawn
  suspension* const target = suspension_in(next);
  stack* fresh = nullptr;
  if (!target) {
    try {
      fresh = take_stack(w);
    } catch (...) {
      if (next) make_ready(w, *task_in(next));
      enter_again(w, companion);
      throw;
    }
  }
  s.on = w.running_on;
  s.current = w.current;
  s.scope = w.scope;
  if (!s.on || (w.current && w.current->bound)) s.pinned = &w;
  s.fiber = base::stack_switch::this_fiber();
  auto& exceptions = exceptions_in_flight();
  s.caught_exceptions = std::exchange(exceptions.caught, nullptr);
  s.uncaught_exceptions = std::exchange(exceptions.uncaught, 0);
  const base::usual_floating_control& usual = w.owner->arithmetic;
  s.arithmetic = base::floating_control::now();
  if (s.arithmetic != usual.value()) [[unlikely]]
    usual.set();
  ++w.suspensions;
  const bool is_profiled = s.current && s.current->flags & task_record::is_profiled;
  if (is_profiled) profile_of(*s.current).suspended();
  stretto::detail::handler_span* const measured = std::exchange(w.measured, nullptr);
  const trace::ticks left_at = measured ? trace::clock::now() : 0;
  s.id = w.current_id;
  if (w.every_span && w.span_start) {
    s.since = trace::clock::now();
    if (own_track* const own = own_track_of(companion, s.current)) own->ran(w, s.since);
    else record_before_suspension(w, s.since);
  }
  suspension*& left = s.on ? s.on->left : w.own_left;
  left = &s;
  w.after_switch = hook;
  w.after_switch_argument = argument;
  if (target) {
    go_to(w, &s.saved, &s.fake_stack, target->saved, target->on, target->fiber);
  } else {
    w.first = next;
    go_to(w, &s.saved, &s.fake_stack, fresh->entry, fresh, fresh->sanitizer);
  }
  worker& now = arrive(s.fake_stack);
  base::announce_acquire(&s);
  left = nullptr;  // the entry of its own stack, or of the worker that it is pinned to
  ++now.resumptions;
  now.current = s.current;
  if (now.scope != s.scope || &now != &w) enter_scope(now, s.scope);
  now.current_id = s.id;
  now.span_start = 0;
  if (is_profiled) profile_of(*s.current).resumed();
  now.measured = measured;
  if (measured) measured->suspended += trace::clock::now() - left_at;
  if (s.since) {
    if (own_track* const own = own_track_of(companion, s.current)) own->waited(now, s.made_ready_by);
    else record_suspension(now, s);
    now.span_start = trace::clock::now();
  }
  auto& exceptions_now = exceptions_in_flight();
  exceptions_now.caught = s.caught_exceptions;
  exceptions_now.uncaught = s.uncaught_exceptions;
  if (s.arithmetic != usual.value()) [[unlikely]]
    s.arithmetic.set();
  enter_again(now, companion);  // last of all
}

namespace {

/// Capacity of a worker's queue from which on a task that spawns more is suspended until some of them have run.
constexpr std::size_t largest_queue = 8192;

}  // namespace

void push_when_full(worker& w, item i) noexcept {
  if (w.default_queue->capacity() >= largest_queue && !w.paused_spawner && !w.spawn_suspension_disabled) {
    // Suspend the spawner while some of the queued tasks run, so that endless spawning stays in bounded memory.
    suspension s;
    s.pinned = &w;
    w.tasks_until_resume = static_cast<std::uint32_t>(w.default_queue->capacity() / 8);
    try {
      suspend(w, s, [](worker& now, void* self) { now.paused_spawner = static_cast<suspension*>(self); }, &s);
    } catch (...) {
    }
  }
  w.default_queue->push(i);
}

namespace {

/// Entry of every pooled stack: runs the items that the worker finds until the runtime ends.
void worker_loop() {
  worker* w = &arrive(nullptr);
  for (;;) {
    item i = std::exchange(w->first, 0);
    if (!i) i = w->owner->settings.stepped ? draw_step(w) : is_to_step_aside(*w) ? 0 : next_quickly(*w);
    if (!i && !w->owner->settings.stepped) {
      w->owner->arithmetic.ensure();
      i = w->spare_number ? wait_as_spare(*w) : is_substitute(*w) ? wait_as_substitute(*w) : wait_for_work(*w);
    }
    if (suspension* s = suspension_in(i)) {
      continue_and_recycle(*w, *s);
    } else if (i) {
      w = &run_task(*w, *task_in(i));
      if (!w->owner->arithmetic.is_in_force()) [[unlikely]]
        w->owner->arithmetic.set();
    } else {
      // The runtime ends: switch back to the thread's own stack, which recycles this one.
      saved_stack nowhere;
      w->after_switch = recycle_stack;
      w->after_switch_argument = w->running_on;
      go_to(*w, &nowhere, nullptr, w->thread_stack, nullptr, w->own_fiber);
    }
  }
}

}  // namespace

void reserve_stack(worker& w) { w.spare_stacks.push_back(w.owner->stacks.take(worker_loop)); }

void run_thread(worker& w) {
  enter_worker(w);
  stack* s = take_stack(w);
  void* fake_stack = nullptr;
  go_to(w, &w.thread_stack, &fake_stack, s->entry, s, s->sanitizer);
  leave_worker(arrive(fake_stack));  // stepped, it may have become another worker
}

bool step(scheduler& owner) {
  base::thread_context* const before = base::current();
  owner.steps_left = 1;
  run_thread(*owner.workers[0]);
  const bool stepped = owner.steps_left == 0;
  owner.steps_left = ~std::uint64_t{0};
  base::set_current(before);
  return stepped;
}

void enter_worker(worker& w) {
  base::set_current(&w);
  watch_thread(w.owner->settings.errors_as_json ? report_format::json : report_format::text);
  const thread_stack_bounds own = own_stack(w.owner->settings.stepped);
  w.own_stack_bottom = own.bottom;
  w.own_stack_bytes = own.bytes;
  w.own_fiber = base::stack_switch::this_fiber();
  w.running_on = nullptr;
  w.stack_floor = floor_of(w, nullptr);
  enter_scope(w, w.owner->root);
  w.kernel_thread.store(gettid(), std::memory_order_relaxed);
  w.has_thread.store(true, std::memory_order_seq_cst);
}

void leave_worker(worker& w) noexcept {
  w.has_thread.store(false, std::memory_order_seq_cst);
  w.current = nullptr;
  w.scope = nullptr;
  w.shard = nullptr;
  base::set_current(nullptr);
  unwatch_thread();
}

}  // namespace stretto::sched
