#include <stretto/coroutine.hpp>

#include <algorithm>
#include <new>
#include <stretto/task.hpp>

#include "base/order_observer.hpp"
#include "base/sanitizers.hpp"
#include "base/snapshot_read.hpp"
#include "event/event_floor.hpp"
#include "sched/scope_counting.hpp"
#include "sched/wait_graph.hpp"

namespace stretto::detail {

struct coroutine_waiter {
  static std::string where(const void* at) {
    return base::snapshot_location(&static_cast<const coroutine_wait*>(at)->where_);
  }
  static void fire(waiter& w, const failure*, base::thread_context& context) noexcept {
    auto& self = *reinterpret_cast<coroutine_wait*>(&w);  // its first member
    auto& t = static_cast<sched::thread_state&>(context);
    base::announce_acquire(&self);
    // Only the runtime's scope counts the task: the finish in which the coroutine was called may be over.
    sched::finish_scope* const scope = t.scope;
    sched::enter_scope(t, t.owner->root);
    if (t.as_worker) ++t.as_worker->spawn_suspension_disabled;  // a thread that fires must not suspend
    spawn([handle = self.handle] { handle.resume(); }, self.where_);
    if (t.as_worker) --t.as_worker->spawn_suspension_disabled;
    sched::enter_scope(t, scope);
  }
  static bool subscribe_it(coroutine_wait& self, base::thread_context& context) {
    auto* w = ::new (self.waiter) waiter;
    w->fire = fire;
    base::announce_release(&self);
    completion* c = self.waits_for_.task();
    return c ? c->subscribe(*w) : subscribe(self.waits_for_, *w, context);
  }
};

}  // namespace stretto::detail

std::string stretto::sched::where_coroutine_waits(const waiter& w, const void* at) {
  if (w.fire != detail::coroutine_waiter::fire) return {};
  return detail::coroutine_waiter::where(at);
}

const void* stretto::sched::promised_by_coroutine(const void* at) noexcept {
  const base::snapshot_copy<std::coroutine_handle<>> frame(&static_cast<const detail::coroutine_wait*>(at)->handle);
  if (!frame || !*frame) return nullptr;
  const void* const promise = __builtin_coro_promise(frame->address(), alignof(void*), false);
  const base::snapshot_copy<const void*> first(promise);
  return first ? *first : nullptr;
}

namespace stretto::detail {

bool coroutine_wait::await_ready() const { return has_ended(waits_for_, base::require_current("co_await")); }

bool coroutine_wait::await_suspend(std::coroutine_handle<> to_resume) {
  handle = to_resume;
  auto& t = static_cast<sched::thread_state&>(base::require_current("co_await"));
  // As for a task that suspends, the rounding mode stays with the coroutine; its caller goes on with the usual one.
  const auto own = base::floating_control::now();
  if (own != t.owner->arithmetic.value()) {
    arithmetic_ = own.as_word();
    t.owner->arithmetic.set();
  }
  return coroutine_waiter::subscribe_it(*this, t);
}

void coroutine_wait::rethrow() const {
  if (arithmetic_) base::floating_control::of_word(arithmetic_).set();
  // A coroutine resumes on any thread after its dependency has ended: its order with earlier operations moves along.
  if (auto* context = base::current(); context && context->observer) context->observer->synchronised(*context);
  if (const failure_ref cause = cause_of(waits_for_, base::require_current("co_await"))) cause->raise();
}

namespace {

/// Compilers do not tell the alignment of a frame, but its size is a multiple of it.
std::size_t alignment_of_frame(std::size_t bytes) noexcept { return std::min(bytes & (~bytes + 1), most_alignment); }
constexpr std::size_t usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* new_frame(std::size_t bytes) {
  const std::size_t alignment = alignment_of_frame(bytes);
  return alignment <= usual_alignment ? ::operator new(bytes) : ::operator new(bytes, std::align_val_t{alignment});
}

void delete_frame(void* frame, std::size_t bytes) noexcept {
  const std::size_t alignment = alignment_of_frame(bytes);
  if (alignment <= usual_alignment) ::operator delete(frame);
  else ::operator delete(frame, std::align_val_t{alignment});
}

}  // namespace stretto::detail
