// waiting_tasks.hpp - tasks in the order in which they are to be considered, per set of devices that they may run on.
//
// Threads     one owner.
// Cost        push, and taking the first: O(log priorities in use) and a few comparisons per set of devices.
// Invariants  larger priorities first, then order of push.
#pragma once

#include <stretto/scheduler.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

namespace stretto::objects {

/// Devices by index, as bits.
using device_set = std::uint64_t;
inline constexpr std::size_t most_devices = 64;

class waiting_tasks {
 public:
  void push(const device_task& t, device_set allowed) {
    auto at = std::find_if(classes_.begin(), classes_.end(), [&](const klass& c) { return c.allowed == allowed; });
    if (at == classes_.end()) at = classes_.insert(at, {allowed, {}});
    at->lists[t.priority()].push_back({next_++, &t});
    ++size_;
  }

  /// Calls f(task) for the first `most` tasks that may run on the device, in order, until it returns true; takes that one out.
  /// Null if there was none.
  template <class F>
  const device_task* take(std::uint32_t device, std::size_t most, F f) {
    std::vector<cursor>& open = open_;
    open.clear();
    for (klass& c : classes_)
      if ((c.allowed >> device & 1) && !c.lists.empty()) open.push_back({&c.lists, c.lists.begin(), 0});
    for (; most > 0 && !open.empty(); --most) {
      auto best = open.begin();
      for (auto o = open.begin() + 1; o != open.end(); ++o) {
        const int a = o->list->first, b = best->list->first;
        if (a > b || (a == b && o->list->second[o->at].number < best->list->second[best->at].number)) best = o;
      }
      auto& list = best->list->second;
      const device_task* const t = list[best->at].task;
      if (f(*t)) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(best->at));
        if (list.empty()) best->lists->erase(best->list);
        --size_;
        return t;
      }
      if (++best->at == list.size()) {
        best->at = 0;
        if (++best->list == best->lists->end()) open.erase(best);
      }
    }
    return nullptr;
  }

  std::size_t size() const noexcept { return size_; }

 private:
  struct entry {
    std::uint64_t number;
    const device_task* task;
  };
  using list_map = std::map<int, std::deque<entry>, std::greater<>>;  // by priority; none is empty
  struct klass {
    device_set allowed;
    list_map lists;
  };
  struct cursor {
    list_map* lists;
    list_map::iterator list;
    std::size_t at;  // in *list
  };
  std::vector<klass> classes_;
  std::vector<cursor> open_;
  std::uint64_t next_ = 0;
  std::size_t size_ = 0;
};

}  // namespace stretto::objects
