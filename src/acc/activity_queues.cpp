#include "acc/activity_queues.hpp"

#include <algorithm>
#include <iterator>
#include <stretto/task.hpp>
#include <utility>

namespace stretto::acc {
namespace {

/// A task behind another one, which may be none.
future<void> behind(const future<void>& last, std::function<void()> work) {
  return last.valid() ? async(name("acc queue"), after(last), std::move(work))
                      : async(name("acc queue"), std::move(work));
}

bool has_succeeded(const future<void>& one) { return one.is_ready() && !one.is_poisoned(); }

}  // namespace

void activity_queues::enqueue(int queue, std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  one_queue& to = queues_[queue];
  if (to.messages.empty()) {
    to.last = behind(to.last, std::move(work));
    return;
  }
  to.last = behind(to.last, [messages = std::exchange(to.messages, {}), work = std::move(work)] {
    for (const future<void>& one : messages) wait(one);
    work();
  });
}

void activity_queues::enqueue_message(int queue, std::function<void()> begin, std::function<void()> end) {
  const std::scoped_lock lock(mutex_);
  one_queue& to = queues_[queue];
  std::erase_if(to.messages, has_succeeded);
  to.last = behind(to.last, std::move(begin));
  to.messages.push_back(behind(to.last, std::move(end)));
}

std::vector<future<void>> activity_queues::pending_of(int queue) {
  const std::scoped_lock lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return {};
  std::vector<future<void>> all = found->second.messages;
  if (found->second.last.valid()) all.push_back(found->second.last);
  return all;
}

void activity_queues::wait_for(int queue) {
  for (const future<void>& one : pending_of(queue)) wait(one);
}

void activity_queues::wait_for_all() {
  for (const int one : numbers()) wait_for(one);
}

void activity_queues::make_wait(int waiting, std::span<const int> queues) {
  std::vector<future<void>> others;
  for (const int one : queues)
    if (one != waiting) std::ranges::move(pending_of(one), std::back_inserter(others));
  std::erase_if(others, has_succeeded);
  if (others.empty()) return;
  enqueue(waiting, [others = std::move(others)] {
    for (const future<void>& one : others) wait(one);
  });
}

bool activity_queues::has_ended(int queue) {
  return std::ranges::all_of(pending_of(queue), [](const future<void>& one) { return one.is_ready(); });
}

bool activity_queues::have_all_ended() {
  return std::ranges::all_of(numbers(), [this](int one) { return has_ended(one); });
}

std::vector<int> activity_queues::numbers() {
  const std::scoped_lock lock(mutex_);
  std::vector<int> all;
  for (const auto& [number, queue] : queues_) all.push_back(number);
  return all;
}

}  // namespace stretto::acc
