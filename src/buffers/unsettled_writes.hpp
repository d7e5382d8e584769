// unsettled_writes.hpp - who wrote last what is in the allocations, until it has succeeded: who reads there fails with it.
//
// The graphs order instructions; whether one fails with another is decided here. Who overwrites elements, or has only to wait for its turn,
// waits for the end of those before, not for their success.
//
// Threads     one owner.
// Cost        comparisons with the boxes of the allocation's writes: one or two, as a rule; none outside of their
//             bounds. Above 64 they become one, of all their elements.
// Memory      a box and an event for each write. Succeeded writes are dropped when their number has doubled, and at each
//             horizon.
// Invariants  (1) the boxes of an allocation are disjoint, but for those that became one.
#pragma once

#include <stretto/box.hpp>
#include <stretto/event.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace stretto::buffers {

class unsettled_writes {
 public:
  using number = std::uint64_t;  // of an allocation

  /// Whoever wrote there before is forgotten.
  void wrote(number allocation, const box& part, event end);
  /// Appends the events of those who wrote there and have not succeeded yet, or will not.
  void before_reading(number allocation, const box& part, std::vector<event>& out);
  void forget(number allocation) { all_.erase(allocation); }
  /// Forgets what has succeeded.
  void settle();

  std::size_t size() const noexcept;

 private:
  struct write {
    box part;
    event end;
  };
  struct writes {
    std::vector<write> all;
    box bounds;                 // of all parts
    std::size_t settle_at = 8;  // so many, since asking for the success of each takes longer than comparing its box
  };
  static void settle(writes& in);
  static void cut_out(std::vector<write>& in, const box& part);
  static void join(writes& in);

  std::unordered_map<number, writes> all_;
};

/// Not so of what is poisoned: who needs it has to be told.
inline bool has_succeeded(event e) { return e == event() || (e.has_triggered() && !e.is_poisoned()); }

}  // namespace stretto::buffers
