// pipeline.hpp - schedules the pieces of a copy over the hops of its route.
//
// Each piece passes hop 0, 1, ... in order. Between two hops there are `slots` buffers; piece p uses buffer p % slots.
// Hops copy different pieces at the same time, and a hop may be up to `slots` pieces ahead of the next one.
//
// Threads     one at a time (under the owner's lock). Pure: no clock, no memory access.
// Invariants  (1) a buffer is refilled only after the next hop has emptied it. (2) pieces pass each hop in order, one
//             at a time. (3) while the copy is unfinished some hop runs or can start: it cannot stall.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::data {

class pipeline {
 public:
  pipeline(unsigned hops, std::uint64_t pieces, unsigned slots)
      : slots_(slots), pieces_(pieces), finished_(hops, 0), running_(hops, false) {}

  bool can_start(unsigned hop) const noexcept {
    const std::uint64_t p = finished_[hop];
    return p < pieces_ && !running_[hop] && (hop == 0 || finished_[hop - 1] > p) &&
           (hop + 1 == finished_.size() || p < finished_[hop + 1] + slots_);
  }
  /// The piece that the hop copies now.
  std::uint64_t start(unsigned hop) noexcept {
    running_[hop] = true;
    return finished_[hop];
  }
  void finish(unsigned hop) noexcept {
    running_[hop] = false;
    ++finished_[hop];
  }
  bool is_done() const noexcept { return finished_.back() == pieces_; }
  bool is_running() const noexcept {
    for (const bool r : running_)
      if (r) return true;
    return false;
  }
  unsigned hops() const noexcept { return static_cast<unsigned>(finished_.size()); }
  unsigned slot_of(std::uint64_t piece) const noexcept { return static_cast<unsigned>(piece % slots_); }

 private:
  unsigned slots_;
  std::uint64_t pieces_;
  std::vector<std::uint64_t> finished_;
  std::vector<bool> running_;
};

}  // namespace stretto::data
