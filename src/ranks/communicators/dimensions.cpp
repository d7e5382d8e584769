// dimensions.cpp - MPI_Dims_create: searches the factorizations whose factors descend, those of nearly equal factors
// first, until no other one can be better.
#include "ranks/communicators/dimensions.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

std::vector<int> divisors_of(int number) {
  std::vector<int> small, large;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    small.push_back(static_cast<int>(d));
    if (d * d != number) large.push_back(static_cast<int>(number / d));
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// base to the power of `exponent`, at most 2^62.
std::int64_t power(std::int64_t base, std::size_t exponent) {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return std::int64_t{1} << 62;
  }
  return result;
}

/// Finds the best factorization of a number into a given number of factors, which stand in descending order.
class factorization_search {
 public:
  factorization_search(int number, std::size_t factors) : divisors_(divisors_of(number)), current_(factors) {
    search(number, 0, number);
  }

  const std::vector<int>& best() const { return best_; }

 private:
  /// Tries all factors from position `place` on whose product is `rest` and of which none is above `most`. The earlier
  /// ones are in current_.
  void search(int rest, std::size_t place, int most) {
    const std::size_t left = current_.size() - place;
    if (left == 1) {
      current_[place] = rest;
      if (rest <= most && is_better()) best_ = current_;
      return;
    }
    for (const int factor : divisors_) {
      if (factor > most || (place == 0 && is_too_large(factor, rest))) return;
      if (rest % factor != 0 || power(factor, left) < rest) continue;
      current_[place] = factor;
      search(rest / factor, place + 1, factor);
    }
  }

  /// Whether all factorizations whose largest factor is `factor` or above are worse than the best so far. One that is
  /// as good has no factor below `smallest`; but then its product is too large.
  bool is_too_large(int factor, int rest) const {
    if (best_.empty()) return false;
    const int smallest = factor - (best_.front() - best_.back());
    return smallest > 0 && power(smallest, current_.size() - 1) > rest / factor;
  }

  /// A smaller difference of the largest and the smallest factor is better; then a larger smallest factor, then a
  /// larger next one, and so on.
  bool is_better() const {
    if (best_.empty()) return true;
    const int spread = current_.front() - current_.back(), best_spread = best_.front() - best_.back();
    if (spread != best_spread) return spread < best_spread;
    return std::ranges::lexicographical_compare(best_.rbegin(), best_.rend(), current_.rbegin(), current_.rend());
  }

  std::vector<int> divisors_;
  std::vector<int> current_;
  std::vector<int> best_;
};

}  // namespace

void choose_dimensions(int count, std::span<int> dims) {
  if (count < 1) throw call_error(error_class::dims, "the number of nodes is " + std::to_string(count));
  int rest = count;
  for (const int given : dims) {
    if (given < 0) throw call_error(error_class::dims, "a dimension is " + std::to_string(given));
    if (given == 0) continue;
    if (rest % given != 0) {
      throw call_error(error_class::dims,
                       "the given dimensions do not divide the number of nodes, " + std::to_string(count));
    }
    rest /= given;
  }
  const auto free = static_cast<std::size_t>(std::ranges::count(dims, 0));
  if (free == 0) {
    if (rest != 1) throw call_error(error_class::dims, "all dimensions are given, and their product is too small");
    return;
  }
  const factorization_search search(rest, free);
  auto chosen = search.best().begin();
  for (int& entry : dims) {
    if (entry == 0) entry = *chosen++;
  }
}

}  // namespace stretto::ranks
