#include "device/stream_registry.hpp"

#include <utility>

namespace stretto::device {

namespace {

constexpr unsigned polls_between_thorough_ones = 64;  // a thorough poll ignores may_have_ended()

}  // namespace

void stream_registry::add(polled_stream& s) {
  std::scoped_lock lock(mutex_);
  streams_.push_back(&s);
}

void stream_registry::remove(polled_stream& s) noexcept {
  {
    std::scoped_lock lock(mutex_);
    std::erase(streams_, &s);
  }
  std::vector<places::completion*> ended;
  s.collect(ended);
  run(ended);
}

std::size_t stream_registry::poll() {
  std::vector<places::completion*> ended = std::exchange(kept_, {});
  {
    std::scoped_lock lock(mutex_);
    const bool is_thorough = ++polls_ % polls_between_thorough_ones == 0;
    for (polled_stream* s : streams_)
      if (is_thorough || s->may_have_ended()) s->collect(ended);
  }
  const std::size_t n = run(ended);
  ended.clear();
  kept_ = std::move(ended);  // reuse its memory in the next poll
  return n;
}

bool stream_registry::will_notify(const std::shared_ptr<completion_notifier>& b) noexcept {
  std::scoped_lock lock(mutex_);
  if (!notifier_) notifier_ = b, has_notifier_.store(true, std::memory_order_release);
  notifier_->arm();
  for (polled_stream* s : streams_)
    if (!s->will_notify()) return false;
  return true;
}

const std::shared_ptr<completion_notifier>* stream_registry::armed_notifier() const noexcept {
  return has_notifier_.load(std::memory_order_acquire) && notifier_->is_armed() ? &notifier_ : nullptr;
}

std::size_t stream_registry::run(const std::vector<places::completion*>& ended) noexcept {
  if (ended.empty()) return 0;
  for (places::completion* c : ended) c->run(*c);
  pending_.fetch_sub(ended.size(), std::memory_order_acq_rel);
  return ended.size();
}

}  // namespace stretto::device
