// pipeline.hpp - in which order the pieces of a copy go over the hops of its route.
//
// Piece p passes hop 0, 1, ... in turn. Between two hops lie `slots` buffers, piece p using number p % slots; so a
// hop may run ahead of the next by that many pieces, and different hops work on different pieces at once.
//
// Threads     one at a time (its owner holds a lock). No clock, no memory of the machine: pure.
// Invariants  (1) a buffer is refilled only after the next hop has emptied it. (2) pieces pass each hop in order, one
//             at a time. (3) while the copy is unfinished some hop is running or can start: it cannot stall.
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
  /// The piece that the hop now copies.
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
