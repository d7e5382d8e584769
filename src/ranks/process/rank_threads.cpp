#include "ranks/process/rank_threads.hpp"

#include <source_location>

#include "ranks/process/thread_tracks.hpp"
#include "sched/scheduler.hpp"
#include "sched/scheduler_lifetime.hpp"

namespace stretto::ranks {
namespace {

constexpr const char* track_name = "thread of a rank";

}  // namespace

base::thread_context* rank_threads::join(sched::scheduler& runtime) {
  const std::scoped_lock lock(mutex_);
  if (has_ended_) return nullptr;
  sched::begin_substitute(runtime);
  auto* const joined = runtime.attach(std::source_location::current(), track_name);
  base::set_current(joined);
  joined_.push_back(joined);
  return joined;
}

void rank_threads::leave(thread_tracks* tracks) noexcept {
  const std::scoped_lock lock(mutex_);
  auto* const joined = static_cast<sched::thread_state*>(base::current());
  const bool is_joined = std::erase(joined_, joined) > 0;  // else end() may have freed its state
  if (is_joined && tracks) tracks->end(*joined);
  base::set_current(nullptr);
  if (is_joined) joined->owner->detach(joined);
}

void rank_threads::end() noexcept {
  const std::scoped_lock lock(mutex_);
  has_ended_ = true;
  for (auto* const one : joined_) one->owner->detach(one);
  joined_.clear();
}

}  // namespace stretto::ranks
