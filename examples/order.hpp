// order.hpp - two ways to say what an operation follows: as its precondition, or by a wait before it. For comparison: the second is what
// programs do that know no preconditions.
#pragma once

#include <utility>
#include <vector>

#include <stretto/event.hpp>
#include <stretto/task.hpp>

struct order {
  bool waits;
  std::vector<stretto::event> all = {};

  /// Holds until the next call.
  stretto::after_range after_all(std::vector<stretto::event> these) {
    all = std::move(these);
    if (waits) {
      for (const stretto::event e : all) wait(e);
      all.clear();
    }
    return stretto::after(all);
  }
};
