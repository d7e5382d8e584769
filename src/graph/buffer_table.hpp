// buffer_table.hpp - the state that a graph keeps for each buffer, indexed by buffer number: a two-level page table.
//
// Threads     one owner.
// Cost        at: three loads. each: one step for each live buffer, each page of 1,024 numbers and each block of 16 in
//             a page.
// Memory      the state of live buffers, 512 bytes for each page with a live buffer, and 8 bytes for each page ever
//             used: 32 MiB after 2^32 buffers. Numbers are never reused, since nodes release a buffer at different
//             times.
// Invariants  (1) a state stays at its address until it is removed.
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
class buffer_table {
 public:
  /// Adds the state of the next buffer number.
  buffer_id add(State s) {
    const std::uint32_t number = next_++;
    if (number / page_size == pages_.size()) pages_.emplace_back(std::make_unique<page>());
    page& on = *pages_.back();
    std::unique_ptr<block>& b = on.blocks[number % page_size / block_size];
    if (number % block_size == 0) b = std::make_unique<block>();
    b->is[number % block_size].emplace(std::move(s));
    ++b->there, ++on.there;
    return {number};
  }
  /// Requires that the buffer is in the table.
  void remove(buffer_id id) {
    std::unique_ptr<page>& on = pages_[id.number / page_size];
    std::unique_ptr<block>& b = on->blocks[id.number % page_size / block_size];
    b->is[id.number % block_size].reset();
    // The last block and the last page stay: the next buffers go there.
    if (--b->there == 0 && next_ / block_size > id.number / block_size) b.reset();
    if (--on->there == 0 && next_ / page_size > id.number / page_size) on.reset();
  }
  State& at(buffer_id id) { return *place_of(*this, id); }
  const State& at(buffer_id id) const { return *place_of(*this, id); }

  /// Calls f(buffer_id, State&) in ascending order of the numbers.
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
  static constexpr std::uint32_t page_size = 1'024;
  struct page {
    std::array<std::unique_ptr<block>, page_size / block_size> blocks;
    std::uint32_t there = 0;
  };
  template <class Self>
  static auto& place_of(Self& self, buffer_id id) {
    return self.pages_[id.number / page_size]->blocks[id.number % page_size / block_size]->is[id.number % block_size];
  }
  template <class Self, class F>
  static void each_of(Self& self, F& f) {
    for (std::uint32_t n = 0; n < self.pages_.size(); ++n) {
      if (!self.pages_[n]) continue;
      for (std::uint32_t k = 0; k < page_size / block_size && n * page_size + k * block_size < self.next_; ++k) {
        if (!self.pages_[n]->blocks[k]) continue;
        for (std::uint32_t i = 0; i < block_size; ++i)
          if (auto& s = self.pages_[n]->blocks[k]->is[i]) f(buffer_id{n * page_size + k * block_size + i}, *s);
      }
    }
  }

  std::vector<std::unique_ptr<page>> pages_;
  std::uint32_t next_ = 0;
};

}  // namespace stretto::graph
