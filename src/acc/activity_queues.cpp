#include "acc/activity_queues.hpp"

#include <stretto/task.hpp>
#include <utility>

namespace stretto::acc {

void activity_queues::enqueue(int queue, std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  future<void>& last = last_[queue];
  last =
      last.valid() ? async(name("acc queue"), after(last), std::move(work)) : async(name("acc queue"), std::move(work));
}

future<void> activity_queues::last_of(int queue) {
  const std::scoped_lock lock(mutex_);
  const auto found = last_.find(queue);
  return found == last_.end() ? future<void>() : found->second;
}

void activity_queues::wait_for(int queue) {
  if (const future<void> last = last_of(queue); last.valid()) wait(last);
}

void activity_queues::wait_for_all() {
  for (const int one : numbers()) wait_for(one);
}

void activity_queues::make_wait(int waiting, std::span<const int> queues) {
  std::vector<future<void>> others;
  for (const int one : queues)
    if (one != waiting)
      if (future<void> last = last_of(one); last.valid()) others.push_back(std::move(last));
  if (others.empty()) return;
  enqueue(waiting, [others = std::move(others)] {
    for (const future<void>& one : others) wait(one);
  });
}

bool activity_queues::has_ended(int queue) {
  const future<void> last = last_of(queue);
  return !last.valid() || last.is_ready();
}

bool activity_queues::have_all_ended() {
  for (const int one : numbers())
    if (!has_ended(one)) return false;
  return true;
}

std::vector<int> activity_queues::numbers() {
  const std::scoped_lock lock(mutex_);
  std::vector<int> all;
  for (const auto& [number, last] : last_) all.push_back(number);
  return all;
}

}  // namespace stretto::acc
