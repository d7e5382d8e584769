// chunk_weights.hpp - the share of a range that each of its chunks gets: a value that is cheap to copy.
//
// Threads     a value.
// Cost        construction: O(chunks). Everything else O(1), except == for values constructed separately.
// Invariants  weights are stored as integers, so every node cuts at the same items, whatever its arithmetic rounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stretto::graph {

class chunk_weights {
 public:
  /// No weights: all chunks are equal.
  chunk_weights() = default;
  /// Chunk i gets of[i] shares; finite and above 0. Values below a millionth of the largest are raised to that.
  explicit chunk_weights(std::span<const double> of);

  bool are_none() const noexcept { return !sums_; }
  std::size_t size() const noexcept { return sums_ ? sums_->size() - 1 : 0; }
  /// The sum of the first n weights. Requires weights.
  std::uint64_t of_first(std::size_t n) const noexcept { return (*sums_)[n]; }
  /// Each weight n times, one after the other.
  chunk_weights repeated(std::size_t n) const;
  /// The weights of some chunks, in order.
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
