#include "acc/activity_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stretto/task.hpp>
#include <utility>

#include "acc/queue_task.hpp"
#include "event/event_floor.hpp"

namespace stretto::acc {
namespace {

bool has_succeeded(event one) { return one.has_triggered() && !one.is_poisoned(); }

}  // namespace

/// Messages that follow one another in a queue: one task begins those that are there when it runs.
class activity_queues::message_batch {
 public:
  /// False if the task has begun.
  bool try_add(std::function<void()>& begin) {
    const std::scoped_lock lock(mutex_);
    if (has_begun_) return false;
    all_.push_back(std::move(begin));
    return true;
  }
  void run() {
    std::vector<std::function<void()>> all;
    {
      const std::scoped_lock lock(mutex_);
      has_begun_ = true;
      all.swap(all_);
    }
    for (const std::function<void()>& begin : all) begin();
  }

 private:
  std::mutex mutex_;
  std::vector<std::function<void()>> all_;
  bool has_begun_ = false;
};

void activity_queues::start(int queue, const operation_text& text, const starter& begin) {
  const std::scoped_lock lock(mutex_);
  one_queue& to = queues_[queue];
  std::vector<event> behind = std::move(to.last);
  behind.insert(behind.end(), to.messages.begin(), to.messages.end());
  to.messages.clear();
  to.batch.reset();
  to.last = {begin(behind)};
  note(to, to.last.front(), text);
}

void activity_queues::enqueue(int queue, const operation_text& text, std::function<void()> work) {
  start(queue, text, [&](std::span<const event> behind) { return start_queue_task(behind, std::move(work)); });
}

void activity_queues::enqueue_message(int queue, const char* where, std::function<void()> begin, event end) {
  const std::scoped_lock lock(mutex_);
  one_queue& to = queues_[queue];
  const std::shared_ptr<message_batch> open = to.batch.lock();
  if (!open || !open->try_add(begin)) {
    std::erase_if(to.messages, has_succeeded);
    auto batch = std::make_shared<message_batch>();
    batch->try_add(begin);
    to.batch = batch;
    to.last = {start_queue_task(to.last, [batch = std::move(batch)] { batch->run(); })};
  }
  to.messages.push_back(end);
  note(to, end, {"message", where});
}

void activity_queues::note(one_queue& in, event end, const operation_text& text) {
  while (!in.named.empty() && in.named.front().end.has_triggered()) in.named.pop_front();
  in.named.push_back({end, text});
  used_in_ = base::current();
}

std::vector<event> activity_queues::pending_of(int queue) {
  const std::scoped_lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return {};
  std::vector<event> all = found->second.messages;
  all.insert(all.end(), found->second.last.begin(), found->second.last.end());
  return all;
}

void activity_queues::wait_for(int queue) {
  for (const event one : pending_of(queue)) wait(one);
}

void activity_queues::wait_for_all() {
  for (const int one : numbers()) wait_for(one);
}

void activity_queues::make_wait(int waiting, std::span<const int> queues) {
  std::vector<event> others;
  for (const int one : queues) {
    if (one == waiting) continue;
    const std::vector<event> pending = pending_of(one);
    others.insert(others.end(), pending.begin(), pending.end());
  }
  for (const event one : others) make_wait(waiting, one);
}

void activity_queues::make_wait(int waiting, event until) {
  if (has_succeeded(until)) return;
  const std::scoped_lock lock(mutex_);
  one_queue& to = queues_[waiting];
  std::erase_if(to.last, has_succeeded);
  to.last.push_back(until);
  to.batch.reset();
}

event activity_queues::end_of(int queue, std::source_location where) { return merge(pending_of(queue), where); }

bool activity_queues::has_ended(int queue) {
  return std::ranges::all_of(pending_of(queue), [](event one) { return one.has_triggered(); });
}

bool activity_queues::have_all_ended() {
  return std::ranges::all_of(numbers(), [this](int one) { return has_ended(one); });
}

std::string activity_queues::pending_text() const {
  constexpr int most_of_queue = 3;
  std::string all;
  for (const auto& [number, queue] : queues_) {
    int pending = 0;
    for (const named_operation& one : queue.named) {
      if (detail::has_ended(one.end, *used_in_) || ++pending > most_of_queue) continue;
      all += pending > 1 ? ", " : fmt::format("{}queue {}: ", all.empty() ? "" : "; ", number);
      all += fmt::format("{} at {}", one.text.what, one.text.where);
    }
    if (pending > most_of_queue) all += fmt::format(", {} more", pending - most_of_queue);
  }
  return all;
}

std::vector<int> activity_queues::numbers() {
  const std::scoped_lock lock(mutex_);
  std::vector<int> all;
  for (const auto& [number, queue] : queues_) all.push_back(number);
  return all;
}

}  // namespace stretto::acc
