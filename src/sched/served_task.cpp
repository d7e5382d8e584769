// The operations of place servers on the tasks that they were given.
#include <utility>

#include <stretto/error.hpp>
#include <stretto/place_server.hpp>

#include "event/event_floor.hpp"
#include "sched/ready_queues.hpp"
#include "sched/served_task_access.hpp"
#include "sched/task_execution.hpp"
#include "sched/task_spans.hpp"

namespace stretto {

namespace sched {
namespace {

/// Counts a task that leaves its server as outside work until its effects are visible, so that the runtime does not
/// end.
struct outside {
  explicit outside(scheduler& s) noexcept : owner(s) {}
  ~outside() { owner.outside_ended(); }
  scheduler& owner;
};

void skip(thread_state& t, task_record& r, std::exception_ptr why) noexcept {
  if (!begin(*t.owner, r)) return r.release();
  skip_task(t, r, detail::make_failure(std::move(why), detail::describe_task(r), r.where));
}

/// With the most detailed trace level, records the task on the thread of the server.
class served_span {
 public:
  served_span(thread_state& t, const task_record& r) : thread_(t) {
    if (!t.every_span) return;
    record_.id = new_id(t);
    record_.cause = r.made_ready_by();
    record_.name = t.owner->recorder->names().intern(r.name ? r.name : "task", r.where);
    record_.place = r.place;
    outer_ = std::exchange(t.current_id, record_.id);
    record_.start = trace::clock::now();
  }
  served_span(const served_span&) = delete;
  void stop() {
    if (!thread_.every_span) return;
    record_.end = trace::clock::now();
    thread_.ring->push(record_);
  }
  ~served_span() {
    if (thread_.every_span) thread_.current_id = outer_;
  }

 private:
  thread_state& thread_;
  trace::record record_;
  std::uint64_t outer_ = 0;
};

void run_on(thread_state& t, task_record& r) noexcept {
  if (!begin(*t.owner, r)) return r.release();
  served_span span(t, r);
  task_record* const before = std::exchange(t.current, &r);
  finish_scope* const scope = t.scope;
  if (scope != r.scope) enter_scope(t, r.scope);
  const base::with_usual_control arithmetic(t.owner->arithmetic);
  failure_ref cause;
  try {
    r.type().run(r.storage());
  } catch (...) {
    cause = failure_ref::adopt(take_thrown(r));
  }
  span.stop();
  end_task(t, r, std::move(cause));
  if (t.scope != scope) enter_scope(t, scope);
  t.current = before;
}

thread_state& this_thread_of(const char* verb) { return static_cast<thread_state&>(base::require_current(verb)); }

}  // namespace

}  // namespace sched

using namespace sched;
using detail::served_task_access;

served_task::served_task(served_task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}

served_task& served_task::operator=(served_task&& other) noexcept {
  std::swap(task_, other.task_);
  return *this;
}

served_task::~served_task() {
  if (!task_) return;
  const auto& r = static_cast<const task_record&>(*task_);
  const scheduler& owner = *this_thread_of("served_task").owner;
  fail(std::make_exception_ptr(
      error("M07", detail::describe_task(r) + " was dropped by the server of its place")
          .fact("spawned", r.where)
          .fact("place", owner.paths.names[r.place])
          .because("the server neither ran the task, nor passed it to the workers, nor failed it")
          .remedy("keep the served_task until the server runs, passes on or fails it")));
}

void served_task::run() noexcept {
  thread_state& t = this_thread_of("served_task::run");
  if (t.as_worker) return to_workers();
  const outside counted(*t.owner);
  run_on(t, *served_task_access::take(*this));
}

void served_task::to_workers() noexcept {
  thread_state& t = this_thread_of("served_task::to_workers");
  const outside counted(*t.owner);
  task_record& r = *served_task_access::take(*this);
  r.bound = 0;
  r.place = no_place;
  make_ready(t, r);
}

void served_task::fail(std::exception_ptr why) noexcept {
  thread_state& t = this_thread_of("served_task::fail");
  const outside counted(*t.owner);
  skip(t, *served_task_access::take(*this), std::move(why));
}

}  // namespace stretto
