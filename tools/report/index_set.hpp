// index_set.hpp - a set of numbers below a bound that gives its least: bits, and bits that say which words hold any.
//
// Threads     one owner.
// Cost        insert and take_least: a step for each 64-fold of the bound, four for a million.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace stretto::report {

class index_set {
 public:
  explicit index_set(std::size_t bound) {
    do {
      bound = (bound + 63) / 64;
      levels_.emplace_back(bound, 0);
    } while (bound > 1);
  }
  bool is_empty() const noexcept { return levels_.back().empty() || levels_.back()[0] == 0; }
  void insert(std::size_t i) noexcept {
    for (auto& level : levels_) {
      std::uint64_t& word = level[i / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << i % 64;
      if (!was_empty) return;
      i /= 64;
    }
  }
  /// Takes out the least; there must be one.
  std::size_t take_least() noexcept {
    std::size_t i = 0;
    for (std::size_t l = levels_.size(); l-- > 0;)
      i = i * 64 + static_cast<std::size_t>(std::countr_zero(levels_[l][i]));
    std::size_t rest = i;
    for (auto& level : levels_) {
      std::uint64_t& word = level[rest / 64];
      word &= ~(std::uint64_t{1} << rest % 64);
      if (word != 0) break;
      rest /= 64;
    }
    return i;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  // bit i of one: word i of the one before is not 0
};

}  // namespace stretto::report
