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
    klass& c = class_of(allowed);
    auto& tasks = list_of(c, t.priority()).tasks;
    const entry mine{t.position(), &t};
    if (tasks.empty() || tasks.back().position <= mine.position) tasks.push_back(mine);
    else tasks.insert(std::ranges::upper_bound(tasks, mine.position, {}, &entry::position), mine);
    ++c.size, ++size_;
  }

  /// Calls f(task) for the first `most` tasks that may run on the device, in order, until f returns true, and removes
  /// that task. Returns null if f never did.
  template <class F>
  const device_task* take(std::uint32_t device, std::size_t most, F f) {
    std::vector<cursor>& open = open_;
    open.clear();
    for (klass& c : classes_)
      if ((c.allowed >> device & 1) && c.size > 0) open.push_back({&c, first_with_tasks(c, 0), 0});
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
  struct klass {
    device_set allowed;
    std::size_t size = 0;
    std::vector<list> lists = {};  // larger priorities first
  };
  struct cursor {
    klass* of;
    std::size_t list;  // of its lists
    std::size_t at;    // in that
  };

  klass& class_of(device_set allowed) {
    for (klass& c : classes_)
      if (c.allowed == allowed) return c;
    return classes_.emplace_back(klass{allowed});
  }
  static list& list_of(klass& c, int priority) {
    const auto find = [&] {
      return std::ranges::lower_bound(c.lists, priority, std::ranges::greater(), &list::priority);
    };
    auto at = find();
    if (at != c.lists.end() && at->priority == priority) return *at;
    if (c.lists.size() >= most_empty_lists) {
      std::erase_if(c.lists, [](const list& l) { return l.tasks.empty(); });
      at = find();
    }
    return *c.lists.insert(at, list{priority, {}});
  }
  static std::size_t first_with_tasks(const klass& c, std::size_t from) {
    while (from < c.lists.size() && c.lists[from].tasks.empty()) ++from;
    return from;
  }

  std::vector<klass> classes_;
  std::vector<cursor> open_;
  std::size_t size_ = 0;
};

}  // namespace stretto::objects
