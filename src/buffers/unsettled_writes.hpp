// unsettled_writes.hpp - the last writes to each allocation that have not succeeded yet: an instruction that reads the
// elements fails if such a write fails.
//
// The graphs order instructions; this class decides which failures propagate. An instruction that overwrites elements,
// or only follows others, waits until they have ended, also with a failure.
//
// Threads     one owner.
// Cost        comparisons with the boxes of the allocation's writes: usually one or two; none outside of their bounds.
//             Above 64 the writes are merged into one box around all their elements.
// Memory      a box and an event for each write. Successful writes are dropped when the number of writes has doubled,
//             and at each horizon.
// Invariants  (1) the boxes of an allocation are disjoint, except for merged ones.
#pragma once

#include <stretto/box.hpp>
#include <stretto/event.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace stretto::buffers {

class unsettled_writes {
 public:
  using number = std::uint64_t;  // number of an allocation

  /// Records a write; forgets earlier writes of the same elements.
  void wrote(number allocation, const box& part, event end);
  /// Appends the events of writes to `part` that have not succeeded yet, or have failed.
  void before_reading(number allocation, const box& part, std::vector<event>& out);
  void forget(number allocation) { all_.erase(allocation); }
  /// Drops successful writes.
  void settle();

  std::size_t size() const noexcept;

 private:
  struct write {
    box part;
    event end;
  };
  struct writes {
    std::vector<write> all;
    box bounds;  // around all parts
    // The number of writes at which successful ones are dropped: testing an event takes longer than comparing a box.
    std::size_t settle_at = 8;
  };
  static void settle(writes& in);
  static void cut_out(std::vector<write>& in, const box& part);
  static void merge_all(writes& in);

  std::unordered_map<number, writes> all_;
};

/// False for poisoned events: dependents must fail with them.
inline bool has_succeeded(event e) { return e == event() || (e.has_triggered() && !e.is_poisoned()); }

}  // namespace stretto::buffers
