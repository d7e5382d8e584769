#include "ranks/windows/window_lock.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "ranks/messages/wait_targets.hpp"

namespace stretto::ranks {
namespace {

void leave_to_call(completion&) noexcept {}
std::string describe_lock(const completion& one) {
  const bool is_shared = static_cast<const lock_request&>(one).mode == lock_mode::shared;
  return is_shared ? "shared lock of a window" : "exclusive lock of a window";
}
void add_holders(const request& one, wait_targets& to) {
  const auto& holders = static_cast<const lock_request&>(one).of->holders();
  to.ranks.insert(to.ranks.end(), holders.begin(), holders.end());
}
constexpr request_kind kind_of_locks{{leave_to_call, describe_lock}, nullptr, nullptr, nullptr, add_holders};

}  // namespace

lock_request::lock_request(lock_mode how, world_rank who) noexcept : request(kind_of_locks), mode(how), rank(who) {}

void window_lock::acquire(lock_request& r) {
  const std::lock_guard guard(guard_);
  r.of = this;
  if (waiting_.empty() && is_free_for(r.mode)) {
    give_to(r);
    return r.activate_done();
  }
  r.activate();
  waiting_.push_back(&r);
}

void window_lock::release(world_rank rank) {
  {
    const std::lock_guard guard(guard_);
    holders_.erase(std::ranges::find(holders_, rank));
    is_exclusive_ = false;
    while (!waiting_.empty() && is_free_for(waiting_.front()->mode)) {
      granted_.push_back(waiting_.front());
      waiting_.pop_front();
      give_to(*granted_.back());
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
