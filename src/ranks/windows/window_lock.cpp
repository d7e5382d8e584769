#include "ranks/windows/window_lock.hpp"

#include <mutex>
#include <string>

namespace stretto::ranks {
namespace {

void leave_to_call(completion&) noexcept {}
std::string describe_lock(const completion& one) {
  const bool is_shared = static_cast<const lock_request&>(one).mode == lock_mode::shared;
  return is_shared ? "shared lock of a window" : "exclusive lock of a window";
}
constexpr request_kind kind_of_locks{{leave_to_call, describe_lock}};

}  // namespace

lock_request::lock_request(lock_mode how) noexcept : request(kind_of_locks), mode(how) {}

void window_lock::acquire(lock_request& r) {
  const std::lock_guard guard(guard_);
  if (waiting_.empty() && is_free_for(r.mode)) {
    give_to(r.mode);
    return r.activate_done();
  }
  r.activate();
  waiting_.push_back(&r);
}

void window_lock::release() {
  {
    const std::lock_guard guard(guard_);
    --holders_;
    is_exclusive_ = false;
    while (!waiting_.empty() && is_free_for(waiting_.front()->mode)) {
      granted_.push_back(waiting_.front());
      waiting_.pop_front();
      give_to(granted_.back()->mode);
    }
    if (is_granting_ || granted_.empty()) return;
    is_granting_ = true;
  }
  while (lock_request* const r = next_granted()) r->end();
}

lock_request* window_lock::next_granted() {
  const std::lock_guard guard(guard_);
  is_granting_ = !granted_.empty();
  if (!is_granting_) return nullptr;
  lock_request* const next = granted_.front();
  granted_.pop_front();
  return next;
}

}  // namespace stretto::ranks
