#include "dist/blocking_threads.hpp"

#include <stretto/future.hpp>

#include <condition_variable>
#include <exception>
#include <thread>

#include "data/data_floor.hpp"
#include "sched/scheduler.hpp"

namespace stretto::dist {
namespace {

/// A function that a task has called. Lives on the stack of that task, which is suspended meanwhile.
struct call {
  const std::function<void()>& f;
  sched::scheduler& owner;
  const std::uint64_t span;  // the span of the calling task
  const std::source_location& where;
  std::exception_ptr failure = {};
  promise<void> has_returned;  // resumes the task
};

}  // namespace

/// Executes one call after the other. Between two calls it does not belong to the runtime.
struct blocking_threads::helper_thread {
  std::mutex mutex;
  std::condition_variable changed;
  call* next = nullptr;  // until its function has returned and this thread has left the runtime
  bool ends = false;
  std::thread thread;

  helper_thread() : thread([this] { serve(); }) {}
  ~helper_thread() {
    {
      const std::scoped_lock lock(mutex);
      ends = true;
    }
    changed.notify_all();
    thread.join();
  }
  void begin(call& c) {
    {
      const std::scoped_lock lock(mutex);
      next = &c;
    }
    changed.notify_all();
  }
  void wait_until_detached() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !next; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return next || ends; });
      if (!next) return;
      call& c = *next;
      lock.unlock();
      execute(c);
      lock.lock();
      next = nullptr;
      changed.notify_all();
    }
  }
  /// As a thread of the runtime, so that the function may use Stretto, in the span of the calling task.
  static void execute(call& c) {
    sched::thread_state* const t = c.owner.attach(c.where, "collective task");
    base::set_current(t);
    t->current_id = c.span;
    try {
      c.f();
    } catch (...) {
      c.failure = std::current_exception();
    }
    c.has_returned.set();
    data::leave_data(*t);
    base::set_current(nullptr);
    c.owner.detach(t);
  }
};

blocking_threads::blocking_threads() = default;
blocking_threads::~blocking_threads() = default;

// An idle thread, or a new one.
blocking_threads::helper_thread& blocking_threads::acquire() {
  const std::scoped_lock lock(mutex_);
  if (idle_.empty()) {
    idle_.reserve(all_.size() + 1);  // so that push_back cannot throw
    return *all_.emplace_back(std::make_unique<helper_thread>());
  }
  helper_thread& again = *idle_.back();
  idle_.pop_back();
  return again;
}

void blocking_threads::run(const std::function<void()>& f, const std::source_location& where) {
  auto& context = static_cast<sched::thread_state&>(base::require_current("host_task"));
  call c{f, *context.owner, context.current_id, where, {}, promise<void>(where)};
  const future<void> returned = c.has_returned.get_future();
  helper_thread& on = acquire();
  on.begin(c);
  detail::join(returned, where);  // the worker runs other tasks until the function has returned
  on.wait_until_detached();       // short; the runtime may end right after this
  {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(&on);
  }
  if (c.failure) std::rethrow_exception(c.failure);
}

}  // namespace stretto::dist
