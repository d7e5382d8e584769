// window_access.hpp - accesses to windows that are compared with each other, and the report of those that conflict.
//
// Threads     the caller guards a list.
// Cost        compare: O(accesses to the same rank that may conflict, by their kind); the runs of those whose bytes are
//             near. An access that only accumulates meets no accumulates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

#include "ranks/binding/described_call.hpp"
#include "ranks/windows/access_epochs.hpp"
#include "ranks/windows/window_target.hpp"

namespace stretto::ranks::usage_check {

struct byte_run {
  std::int64_t first = 0;
  std::int64_t end = 0;

  bool overlaps(const byte_run& other) const { return first < other.end && other.first < end; }
};

/// Bytes count from the beginning of the target's memory.
struct window_access {
  access_kind kind{};
  int origin = 0;
  int target = 0;
  epoch_kind epoch{};
  bool fetches = false;
  bool is_ended_by_wait = false;  // on its request, which the check does not see
  std::vector<byte_run> runs;
  byte_run bounds;  // of all runs
  described_call site;
  int fence = 0;  // number of the last fence, if the epoch is one of fences
};

/// Of the innermost call of this thread. `memory` is that of the target.
window_access described_access(const window_operation& operation, const fixed_memory& memory);

/// For another node, in at most window_target::most_description bytes: runs beyond are left out.
std::vector<std::byte> packed(const window_access& one);
window_access unpacked(std::span<const std::byte> bytes);

class compared_accesses {
 public:
  static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

  /// Reports the conflicts of an access with those that were added.
  void compare(const window_access& made) const;
  /// At most so many of a kind are kept, the last ones.
  void add(window_access made, std::size_t most = unlimited);
  template <class Condition>
  void remove_if(const Condition& condition) {
    for (auto& accesses : by_kind_) std::erase_if(accesses, condition);
  }

 private:
  std::array<std::deque<window_access>, 3> by_kind_;  // reads, writes, accumulates
};

}  // namespace stretto::ranks::usage_check
