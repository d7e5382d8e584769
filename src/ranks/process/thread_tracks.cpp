#include "ranks/process/thread_tracks.hpp"

#include <utility>

#include "ranks/process/rank_trace.hpp"

namespace stretto::ranks {

/// Companion of a thread that no scheduler moves: it only has the track.
class thread_track final : public sched::thread_companion, public sched::track_owner {
 public:
  thread_track(std::string name, rank_state& state, trace::recorder& into)
      : name_(std::move(name)), trace({name_, state, no_blocked_call_}, into) {}

  void leave_thread() noexcept override {}
  void enter_thread() noexcept override {}
  sched::own_track* track_of(const sched::task_record*) noexcept override { return &trace; }

 private:
  const std::string name_;
  const std::atomic<const call_record*> no_blocked_call_ = nullptr;  // a thread keeps its call while it waits

 public:
  rank_trace trace;
};

thread_tracks::thread_tracks(std::string name, rank_state& state, trace::recorder& into)
    : name_(std::move(name)), state_(state), into_(into) {}
thread_tracks::~thread_tracks() = default;

void thread_tracks::begin(sched::thread_state& joined, trace::ticks since) {
  const std::scoped_lock lock(mutex_);
  if (unused_.empty()) {
    const std::string name = name_ + ", thread " + std::to_string(all_.size() + 1);
    unused_.reserve(all_.size() + 1);
    unused_.push_back(all_.emplace_back(std::make_unique<thread_track>(name, state_, into_)).get());
  }
  joined.companion = unused_.back();
  unused_.pop_back();
  joined.span_start = since;
}

void thread_tracks::end(sched::thread_state& leaving) noexcept {
  auto* const track = static_cast<thread_track*>(std::exchange(leaving.companion, nullptr));
  if (!track) return;
  track->trace.end();
  const std::scoped_lock lock(mutex_);
  unused_.push_back(track);  // has had memory for all since begin()
}

}  // namespace stretto::ranks
