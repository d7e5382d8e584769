#include "sched/profile_state.hpp"

#include <algorithm>

#include "sched/worker.hpp"

namespace stretto::sched {

using clock = operation_profile::clock;

namespace {
constexpr clock::time_point never{};
}

profile_state::profile_state(const std::source_location& where) : result_(where) {
  seen_.where = where;
  seen_.created = clock::now();
}

void profile_state::mark_ready() noexcept {
  if (seen_.ready == never) seen_.ready = clock::now();
}

void profile_state::mark_started(const base::thread_context& on) noexcept {
  if (has_started_.exchange(true, std::memory_order_relaxed)) return;
  seen_.started = clock::now();
  if (seen_.ready == never) seen_.ready = seen_.started;
  seen_.worker = on.index;
}

void profile_state::mark_ended(const base::thread_context& on) noexcept {
  seen_.ended = clock::now();
  seen_.last_worker = on.index;
}

void profile_state::suspended() noexcept { suspended_since_ = clock::now(); }

void profile_state::resumed() noexcept {
  seen_.suspended += clock::now() - suspended_since_;
  ++seen_.suspensions;
}

void profile_state::moved(std::uint64_t bytes, std::uint32_t hops, std::uint32_t parts) noexcept {
  seen_.bytes = bytes;
  seen_.hops = hops;
  seen_.parts = parts;
}

measured_elsewhere profile_state::so_far(const base::thread_context& on) const noexcept {
  const auto ns = [](clock::duration d) { return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(); };
  return {ns(seen_.waited()),
          ns(seen_.queued()),
          ns(clock::now() - seen_.started),
          ns(seen_.suspended),
          seen_.suspensions,
          seen_.worker,
          on.index};
}

void profile_state::ran_elsewhere(const measured_elsewhere& there) noexcept {
  const auto of = [](std::int64_t ns) {
    return std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds(ns));
  };
  const clock::duration all = of(there.waited) + of(there.queued) + of(there.ran);
  const clock::duration on_the_way = std::max(clock::now() - seen_.created - all, clock::duration{});
  seen_.ready = seen_.created + on_the_way / 2 + of(there.waited);
  seen_.started = seen_.ready + of(there.queued);
  seen_.ended = seen_.started + of(there.ran);
  seen_.suspended = of(there.suspended);
  seen_.suspensions = there.suspensions;
  seen_.worker = there.worker;
  seen_.last_worker = there.last_worker;
  has_started_.store(true, std::memory_order_relaxed);
}

void profile_state::deliver(const failure* cause, std::string operation, const base::thread_context& on) noexcept {
  const bool ran = has_started_.load(std::memory_order_relaxed);
  mark_ready();
  if (!ran) {
    seen_.started = seen_.ended = seen_.ready;
    seen_.worker = seen_.last_worker = on.index;
    seen_.bytes = seen_.hops = seen_.parts = 0;
  } else if (seen_.ended == never) {
    mark_ended(on);
  }
  seen_.operation = std::move(operation);
  if (cause) {
    seen_.result = ran ? outcome::failed : outcome::skipped;
    seen_.why = cause->unobserved_exception();
  }
  result_.set(std::move(seen_));
  delivered_ = true;
}

profile_state::~profile_state() {
  // The body could not be copied: the caller gets the exception, and so does the future of the profile.
  if (!delivered_ && std::current_exception()) result_.poison(std::current_exception());
}

namespace {

struct task_profile;
/// The record's type while it is profiled: as the original, but it times the body.
struct profiled_type : detail::task_type {
  task_profile* owner;
};

/// Fired by the task's own completion; holds the record until then.
struct task_profile : waiter {
  explicit task_profile(task_record& r) : state(r.where), record(&r), original(&r.type()), type{r.type(), this} {}

  profile_state state;
  task_record* record;
  const detail::task_type* original;
  profiled_type type;
};

task_profile& of(task_record& r) noexcept { return *static_cast<const profiled_type&>(r.type()).owner; }

void run_profiled(void* storage) {
  auto& r = *reinterpret_cast<task_record*>(static_cast<std::byte*>(storage) - detail::storage_offset);
  task_profile& p = of(r);
  struct until_end {
    profile_state& state;
    ~until_end() { state.mark_ended(*this_thread()); }  // maybe on another worker than it started on
  } timed{p.state};
  p.state.mark_started(*this_thread());
  p.original->run(storage);
}

void destroy_profiled(completion& c) noexcept {
  auto& r = static_cast<task_record&>(c);
  task_profile* const p = &of(r);
  r.kind = p->original;
  delete p;
  r.kind->destroy(r);
}

void fire_profile(waiter& self, const failure* cause, base::thread_context& context) noexcept {
  auto& p = static_cast<task_profile&>(self);
  task_record& r = *p.record;
  p.state.deliver(cause, detail::describe_task(r), context);
  r.release();
}

}  // namespace

void begin_profile(task_record& r, future<operation_profile>& into) {
  auto* p = new task_profile(r);
  p->type.run = run_profiled;
  p->type.destroy = destroy_profiled;
  r.kind = &p->type;
  r.flags |= task_record::is_profiled;
  p->fire = fire_profile;
  r.add_reference();
  r.subscribe(*p);  // the first waiter to be linked is fired last
  p->state.promise_to(into);
}

profile_state& profile_of(task_record& r) noexcept { return of(r).state; }

}  // namespace stretto::sched
