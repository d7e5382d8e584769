// by_buffer.hpp - what a graph keeps of each buffer, by the buffer's number.
//
// Threads     one owner.
// Cost        at: two loads. each: those that are there, and a step for each block of 16 numbers.
// Memory      that of the buffers there are, and half a byte for each that was: numbers do not come again, since nodes let go of a buffer
//             at different times.
// Invariants  (1) what is kept stays where it is until it is removed.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/ids.hpp"

namespace stretto::graph {

template <class State>
class by_buffer {
 public:
  /// Of the next number.
  buffer_id add(State s) {
    const std::uint32_t number = next_++;
    if (number % block_size == 0) blocks_.emplace_back(std::make_unique<block>());
    block& b = *blocks_.back();
    b.is[number % block_size].emplace(std::move(s));
    ++b.there;
    return {number};
  }
  /// Requires that it is there.
  void remove(buffer_id id) {
    std::unique_ptr<block>& b = blocks_[id.number / block_size];
    b->is[id.number % block_size].reset();
    if (--b->there == 0 && next_ / block_size > id.number / block_size) b.reset();  // else others come into it
  }
  State& at(buffer_id id) { return *blocks_[id.number / block_size]->is[id.number % block_size]; }
  const State& at(buffer_id id) const { return *blocks_[id.number / block_size]->is[id.number % block_size]; }

  /// Calls f(buffer_id, State&), in the order of numbers.
  template <class F>
  void each(F f) {
    each_of(*this, f);
  }
  template <class F>
  void each(F f) const {
    each_of(*this, f);
  }

 private:
  static constexpr std::uint32_t block_size = 16;
  struct block {
    std::array<std::optional<State>, block_size> is;
    std::uint32_t there = 0;
  };
  template <class Self, class F>
  static void each_of(Self& self, F& f) {
    for (std::uint32_t n = 0; n < self.blocks_.size(); ++n) {
      if (!self.blocks_[n]) continue;
      for (std::uint32_t i = 0; i < block_size; ++i)
        if (auto& s = self.blocks_[n]->is[i]) f(buffer_id{n * block_size + i}, *s);
    }
  }

  std::vector<std::unique_ptr<block>> blocks_;
  std::uint32_t next_ = 0;
};

}  // namespace stretto::graph
