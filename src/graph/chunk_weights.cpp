#include "graph/chunk_weights.hpp"

#include <algorithm>
#include <cmath>

namespace stretto::graph {
namespace {

constexpr double heaviest = 1 << 20;

}  // namespace

chunk_weights::chunk_weights(std::span<const double> of) {
  if (of.empty()) return;
  const double most = *std::ranges::max_element(of);
  auto sums = std::make_shared<std::vector<std::uint64_t>>(1, 0);
  for (const double w : of)
    sums->push_back(sums->back() +
                    std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(w / most * heaviest))));
  sums_ = std::move(sums);
}

chunk_weights chunk_weights::repeated(std::size_t n) const {
  if (!sums_ || n == 1) return *this;
  auto sums = std::make_shared<std::vector<std::uint64_t>>(1, 0);
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = 0; k < n; ++k) sums->push_back(sums->back() + of_first(i + 1) - of_first(i));
  chunk_weights all;
  all.sums_ = std::move(sums);
  return all;
}

chunk_weights chunk_weights::of(std::span<const std::uint32_t> some) const {
  if (!sums_) return *this;
  auto sums = std::make_shared<std::vector<std::uint64_t>>(1, 0);
  for (const std::uint32_t i : some) sums->push_back(sums->back() + of_first(i + 1) - of_first(i));
  chunk_weights all;
  all.sums_ = std::move(sums);
  return all;
}

std::vector<double> chunk_weights::shares() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < size(); ++i)
    all.push_back(static_cast<double>(of_first(i + 1) - of_first(i)) / static_cast<double>(sums_->back()));
  return all;
}

}  // namespace stretto::graph
