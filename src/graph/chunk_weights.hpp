// chunk_weights.hpp - how much of a range each of its chunks is to get: a value that is cheap to copy.
//
// Threads     a value.
// Cost        making them: O(chunks). Everything else O(1), but == where two were made apart.
// Invariants  they are whole numbers, so that every node cuts at the same items whatever its arithmetic rounds to later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stretto::graph {

class chunk_weights {
 public:
  /// None: all chunks are alike.
  chunk_weights() = default;
  /// Chunk i gets of[i] shares; finite and above 0. What is below a millionth of the largest counts as that.
  explicit chunk_weights(std::span<const double> of);

  bool are_none() const noexcept { return !sums_; }
  std::size_t size() const noexcept { return sums_ ? sums_->size() - 1 : 0; }
  /// What the first n have together. Not of none.
  std::uint64_t of_first(std::size_t n) const noexcept { return (*sums_)[n]; }
  /// Each n times, one behind the other.
  chunk_weights repeated(std::size_t n) const;
  /// Those of some chunks alone, in order.
  chunk_weights of(std::span<const std::uint32_t> some) const;
  /// With a sum of 1.
  std::vector<double> shares() const;

  friend bool operator==(const chunk_weights& a, const chunk_weights& b) {
    return a.sums_ == b.sums_ || (a.sums_ && b.sums_ && *a.sums_ == *b.sums_);
  }

 private:
  std::shared_ptr<const std::vector<std::uint64_t>> sums_;
};

}  // namespace stretto::graph
