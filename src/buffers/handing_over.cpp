#include "buffers/handing_over.hpp"

#include <stretto/task.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.hpp"
#include "buffers/generating.hpp"
#include "buffers/said_calls.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::buffers {
namespace {

// From so long on a launch is handed over rather than taken into the graphs by the call that says it.
constexpr std::uint32_t worth_handing_over = 3'000;  // ns
constexpr const char* task_name = "graphs of buffers";
constexpr std::uint64_t taken_at_once = 8;           // then who waits for the buffers may have them

task_outcome take_into_graphs(buffers_state& s, later_launch& l, base::thread_context& context) {
  known_launch& known = *l.is;
  task_work work;
  work.code = l.code;
  if (l.host) work.host = &l.host;
  if (l.values)
    l.values->each(*l.code, [&](std::size_t i, const std::byte* at) {
      if (l.code->parameters[i].mode == access::value) known.arguments[i].value = at;
      else std::memcpy(&known.arguments[i].local_elements, at, sizeof(std::int64_t));
    });
  work.arguments = known.arguments;
  work.task = &known.task;
  work.folds = known.folds;
  work.range = l.range;
  work.request = l.request;
  work.first = l.first;
  if (s.refused) std::rethrow_exception(s.refused);
  if (l.code && shows_speed(known.task)) work.measured = s.weights.open();
  if (s.programs) note(s, known.call, l.range.where);
  const taking_time measured(s, known);
  try {
    return do_task(s, known.task, work, context);
  } catch (...) {
    s.refused = std::current_exception();  // what comes later may need what this was to write
    throw;
  }
}

/// Requires that `s` is held.
void take(buffers_state& s, later_launch& l, sched::thread_state& t) {
  const sched::counted_in where_it_was_said(t, l.scope);
  failure_ref why;
  event done;
  try {
    done = take_into_graphs(s, l, t).done;
  } catch (...) {
    why = detail::make_failure(std::current_exception(), "launch \"" + l.is->task.name + "\"", l.range.where);
  }
  if (why) {
    detail::report(why, t);
    detail::end_event(l.done, why, t, l.range.where);
  } else {
    l.done.trigger(done, l.range.where);
  }
  l.host = nullptr;  // what it owns goes as early as if the call had done it
  l.values.reset();
  l.is.reset();
  sched::count_ended(t, l.scope);
}

sched::thread_state& thread_of(base::thread_context& context) { return static_cast<sched::thread_state&>(context); }

/// Takes what there is, while not too much is ahead; true if all. Requires that `s` is held.
bool take_all(buffers_state& s, std::uint64_t most, asking::waits w, sched::thread_state& t) {
  later_launches& later = *s.later;
  for (std::uint64_t n = 0; n < most; ++n) {
    later_launch* const l = later.oldest();
    if (!l) return true;
    if (w == asking::waits::yes && !s.ahead.has_triggered()) return false;
    take(s, *l, t);
    later.took();
  }
  return !later.oldest();
}

/// The body of the task that takes them.
void take_in_turn(buffers_state& s) {
  later_launches& later = *s.later;
  for (;;) {
    event ahead;
    std::source_location where;  // of the next
    bool are_all = false;
    {
      const holding held(s);
      are_all = take_all(s, taken_at_once, asking::waits::yes, thread_of(base::require_current("launch")));
      if (!are_all) ahead = s.ahead, where = later.oldest()->range.where;
    }
    if (!ahead.has_triggered()) {
      async(after(ignore_failure(ahead, where)), name(task_name), [&s] { take_in_turn(s); }, where);
      return;
    }
    if (!are_all) continue;
    later.is_taken.store(false, std::memory_order_seq_cst);
    if (later.is_empty() || later.is_taken.exchange(true, std::memory_order_seq_cst)) return;
  }
}

/// Whether somebody would begin at once.
bool is_a_worker_free(const sched::thread_state& t) noexcept { return t.owner->searching_and_parked.load(std::memory_order_relaxed) != 0; }

bool may_be_refused(const buffers_state& s, const known_launch& known) noexcept {
  return !known.is_sure && known.right_as_of != s.rights.load(std::memory_order_relaxed);
}

/// ns; 0 if nothing like it was measured.
std::uint32_t predicted_time(const buffers_state& s, known_launch& known) noexcept {
  const std::uint32_t takes = std::atomic_ref(known.takes).load(std::memory_order_relaxed);
  return takes ? takes : std::atomic_ref(s.later->first_takes).load(std::memory_order_relaxed);
}

bool is_to_be_handed_over(const buffers_state& s, known_launch* known, const launch_to_say& l, const sched::thread_state& t) {
  if (!known || may_be_refused(s, *known)) return false;
  if (s.later->is_full() || l.work->request.profile || t.observer) return false;
  if (l.host && s.check) return false;  // it is told of mappers that are the caller's
  if (s.programs && s.programs->has_gone_wrong()) return false;
  if (s.hands == handing::always) return true;
  return !s.later->is_empty() || (predicted_time(s, *known) >= worth_handing_over && is_a_worker_free(t));
}

}  // namespace

asking::asking(buffers_state& s) : s_(s) {
  if (s.later) saying_ = std::unique_lock(s.later->saying);
  else held_.emplace(s);
}

bool asking::hold_all(waits w, const std::source_location& where) {
  if (!s_.later) return false;
  for (bool has_let_go = false;; has_let_go = true) {
    held_.emplace(s_);
    if (!s_.later->oldest() || take_all(s_, ~std::uint64_t{0}, w, thread_of(base::require_current("launch")))) return has_let_go;
    const event ahead = s_.ahead;
    held_.reset();
    saying_.unlock();
    wait(ignore_failure(ahead, where), where);
    saying_.lock();
  }
}

bool asking::hold(const std::source_location& where) {
  const bool has_let_go = hold_all(waits::yes, where);
  if (s_.refused) std::rethrow_exception(s_.refused);
  return has_let_go;
}

std::optional<event> hand_over(buffers_state& s, const std::shared_ptr<known_launch>& known, const launch_to_say& say,
                               base::thread_context& context) {
  sched::thread_state& t = thread_of(context);
  if (!s.later || !is_to_be_handed_over(s, known.get(), say, t)) return std::nullopt;
  later_launch& l = s.later->next();
  l.is = known;
  l.code = say.code;
  if (say.host) l.host = std::move(*say.host);
  if (say.code)
    l.values.emplace(*say.code, [&](std::size_t i, std::byte* at) {
      const kernel_parameter& p = say.code->parameters[i];
      if (p.mode == access::value) std::memcpy(at, say.items[i].value, p.element_bytes);
      else std::memcpy(at, &say.items[i].local_elements, sizeof(std::int64_t));
    });
  l.range = say.work->range;
  l.request = say.work->request;
  if (!l.request.name.empty()) l.request.name = known->task.name;  // which stays
  l.first = say.work->first;
  const user_event done = user_event::create(l.range.where);
  l.done = done;
  l.scope = t.scope;
  sched::count_spawned(t);
  s.later->added();
  if (!s.later->is_taken.exchange(true, std::memory_order_seq_cst)) {
    const sched::outside_of_finishes everywhere(t);
    if (t.as_worker) ++t.as_worker->spawn_suspension_disabled;  // others would wait with `saying`
    async(name(task_name), [&s] { take_in_turn(s); }, l.range.where);
    if (t.as_worker) --t.as_worker->spawn_suspension_disabled;
  }
  return done;
}

taking_time::taking_time(buffers_state& s, known_launch& of) {
  if (s.hands != handing::by_time) return;
  const std::uint32_t n = of.times++;
  if (n >= 8 && n % 16 != 0) return;
  of_ = n == 0 ? &s.later->first_takes : &of.takes;  // the first finds what it never does again
  since_ = base::nanoseconds_now();
}

taking_time::~taking_time() {
  if (!since_) return;
  const auto took = static_cast<std::uint32_t>(std::min<std::uint64_t>(base::nanoseconds_now() - since_, 1'000'000));
  const std::atomic_ref<std::uint32_t> takes(*of_);
  const std::uint32_t before = takes.load(std::memory_order_relaxed);
  // The machine may have been doing something else meanwhile: one long time says little.
  takes.store(before ? std::min(took, before + before / 4 + 1) : took, std::memory_order_relaxed);
}

}  // namespace stretto::buffers
