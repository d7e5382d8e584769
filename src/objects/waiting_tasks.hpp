// waiting_tasks.hpp - a queue of tasks by priority and submission, one per set of devices that may run them.
//
// Threads     one owner.
// Cost        push and take of the first task: O(priorities in use) and a few comparisons per set of devices. O(tasks)
//             if a task is pushed after others that were submitted later.
// Invariants  larger priorities first, then the order of submission.
#pragma once

#include <stretto/scheduler.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace stretto::objects {

/// A set of devices by index, as bits.
using device_set = std::uint64_t;
inline constexpr std::size_t most_devices = 64;

class waiting_tasks {
 public:
  void push(const device_task& t, device_set allowed) {
    bucket& b = bucket_for(allowed);
    auto& tasks = list_of(b, t.priority()).tasks;
    const entry added{t.position(), &t};
    if (tasks.empty() || tasks.back().position <= added.position) tasks.push_back(added);
    else tasks.insert(std::ranges::upper_bound(tasks, added.position, {}, &entry::position), added);
    ++b.size, ++size_;
  }

  /// Calls f(task) for the first `most` tasks that may run on the device, in order, until f returns true, and removes
  /// that task. Returns null if f never did.
  template <class F>
  const device_task* take(std::uint32_t device, std::size_t most, F f) {
    std::vector<cursor>& open = open_;
    open.clear();
    for (bucket& b : buckets_)
      if ((b.allowed >> device & 1) && b.size > 0) open.push_back({&b, first_with_tasks(b, 0), 0});
    for (; most > 0 && !open.empty(); --most) {
      auto best = open.begin();
      for (auto o = open.begin() + 1; o != open.end(); ++o) {
        const list &a = o->of->lists[o->list], &b = best->of->lists[best->list];
        if (a.priority > b.priority ||
            (a.priority == b.priority && a.tasks[o->at].position < b.tasks[best->at].position))
          best = o;
      }
      auto& tasks = best->of->lists[best->list].tasks;
      const device_task* const t = tasks[best->at].task;
      if (f(*t)) {
        if (best->at == 0) tasks.pop_front();
        else tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(best->at));
        --best->of->size, --size_;
        return t;
      }
      if (++best->at == tasks.size()) {
        best->at = 0;
        best->list = first_with_tasks(*best->of, best->list + 1);
        if (best->list == best->of->lists.size()) open.erase(best);
      }
    }
    return nullptr;
  }

  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t most_empty_lists = 16;

  struct entry {
    std::uint64_t position;
    const device_task* task;
  };
  struct list {
    int priority;
    std::deque<entry> tasks;  // empty lists are kept, to be used again
  };
  /// The tasks that one set of devices may run.
  struct bucket {
    device_set allowed;
    std::size_t size = 0;
    std::vector<list> lists = {};  // larger priorities first
  };
  struct cursor {
    bucket* of;
    std::size_t list;  // of its lists
    std::size_t at;    // in that
  };

  bucket& bucket_for(device_set allowed) {
    for (bucket& b : buckets_)
      if (b.allowed == allowed) return b;
    return buckets_.emplace_back(bucket{allowed});
  }
  static list& list_of(bucket& b, int priority) {
    const auto find = [&] {
      return std::ranges::lower_bound(b.lists, priority, std::ranges::greater(), &list::priority);
    };
    auto at = find();
    if (at != b.lists.end() && at->priority == priority) return *at;
    if (b.lists.size() >= most_empty_lists) {
      std::erase_if(b.lists, [](const list& l) { return l.tasks.empty(); });
      at = find();
    }
    return *b.lists.insert(at, list{priority, {}});
  }
  static std::size_t first_with_tasks(const bucket& b, std::size_t from) {
    while (from < b.lists.size() && b.lists[from].tasks.empty()) ++from;
    return from;
  }

  std::vector<bucket> buckets_;
  std::vector<cursor> open_;
  std::size_t size_ = 0;
};

}  // namespace stretto::objects
