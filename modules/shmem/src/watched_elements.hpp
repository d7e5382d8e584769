// watched_elements.hpp - conditions that have not been met, by the element of symmetric memory that they compare.
//
// No hardware or library reports that another process has written to an element, so elements are read again and again.
// A check reads an element once for all of its conditions, and compares only if it has changed. It reads a limited
// number of elements and goes on where the last check ended.
//
// Threads     one at a time.
// Cost        add: a hash table's. check: two loads for each element that it reads.
// Invariants  the conditions of an element do not hold for its last value that was seen.
#pragma once

#include <stretto/future.hpp>
#include <stretto_shmem/comparison.hpp>

#include <chrono>
#include <source_location>
#include <unordered_map>
#include <vector>

namespace stretto::shmem {

struct pending_condition {
  condition is;
  promise<void> done;
  std::source_location where;
  std::chrono::steady_clock::time_point since;
};

class watched_elements {
 public:
  /// Moves the condition, and others of the element, to `met` if they hold now.
  void add(pending_condition c, std::vector<pending_condition>& met);
  /// Reads up to `most` elements; moves the conditions that hold to `met`.
  void check(std::size_t most, std::vector<pending_condition>& met);
  std::vector<pending_condition> take_all();

  /// The number of different elements.
  std::size_t size() const noexcept { return seen_.size(); }

 private:
  struct last_seen {
    condition of;  // its address and size
    std::uint64_t bits;
  };

  void compare(std::size_t i, std::uint64_t bits, std::vector<pending_condition>& met);
  void remove(std::size_t i);

  // An index for each element. The first array is what checks read.
  std::vector<last_seen> seen_;
  std::vector<std::vector<pending_condition>> conditions_;
  std::unordered_map<std::uint64_t, std::size_t> index_;  // by address and size
  std::size_t next_ = 0;                                  // where the next check begins
};

}  // namespace stretto::shmem
