// progress_list.hpp - the progress of all long work of this process.
//
// Threads     any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::base {

struct progress_state {
  std::string what, unit;
  std::uint64_t done = 0, total = 0;  // total 0: not known

  friend bool operator==(const progress_state&, const progress_state&) = default;
};

/// The newest first.
std::vector<progress_state> progress_now();

/// The progress line: "  tasks      [=====     ]  50 %   600 of 1200 steps".
std::string progress_text(const progress_state& state, bool coloured);

}  // namespace stretto::base
