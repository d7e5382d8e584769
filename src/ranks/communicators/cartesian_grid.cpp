// cartesian_grid.cpp - coordinates are digits of ranks, of which the last is the lowest.
#include "ranks/communicators/cartesian_grid.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

cartesian_grid::cartesian_grid(std::vector<grid_dimension> dimensions) : dimensions_(std::move(dimensions)) {
  for (const grid_dimension& each : dimensions_) {
    if (each.size < 1) throw call_error(error_class::dims, "a dimension has the size " + std::to_string(each.size));
    if (__builtin_mul_overflow(size_, each.size, &size_)) {
      throw call_error(error_class::dims, "the grid has more than 2^31 - 1 places");
    }
  }
}

int cartesian_grid::rank_of(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const auto [size, is_periodic] = dimensions_[i];
    const bool is_inside = coordinates[i] >= 0 && coordinates[i] < size;
    if (!is_inside && !is_periodic) {
      throw call_error(error_class::argument, "coordinate " + std::to_string(coordinates[i]) + " of dimension " +
                                                  std::to_string(i) + ", which is not periodic and has the size " +
                                                  std::to_string(size));
    }
    const int remainder = coordinates[i] % size;
    rank = rank * size + (remainder < 0 ? remainder + size : remainder);
  }
  return rank;
}

std::vector<int> cartesian_grid::coordinates_of(int rank) const {
  check_rank(rank);
  std::vector<int> coordinates(dimensions_.size());
  for (std::size_t i = dimensions_.size(); i-- > 0;) {
    coordinates[i] = rank % dimensions_[i].size;
    rank /= dimensions_[i].size;
  }
  return coordinates;
}

grid_shift cartesian_grid::shift(int rank, int dimension, int displacement) const {
  check_rank(rank);
  if (dimension < 0 || dimension >= std::ssize(dimensions_)) {
    throw call_error(error_class::dims, "dimension " + std::to_string(dimension) + " of a grid with " +
                                            std::to_string(dimensions_.size()) + " dimensions");
  }
  return {shifted(rank, dimension, -std::int64_t{displacement}), shifted(rank, dimension, displacement)};
}

int cartesian_grid::shifted(int rank, int dimension, std::int64_t displacement) const {
  std::vector<int> coordinates = coordinates_of(rank);
  const auto [size, is_periodic] = dimensions_[static_cast<std::size_t>(dimension)];
  int& coordinate = coordinates[static_cast<std::size_t>(dimension)];
  const std::int64_t moved = coordinate + displacement;
  if (!is_periodic && (moved < 0 || moved >= size)) return null_process;
  coordinate = static_cast<int>((moved % size + size) % size);
  return rank_of(coordinates);
}

cartesian_grid cartesian_grid::part(const std::vector<bool>& is_kept) const {
  std::vector<grid_dimension> kept;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (is_kept[i]) kept.push_back(dimensions_[i]);
  }
  return cartesian_grid(std::move(kept));
}

split_choice cartesian_grid::part_of(int rank, const std::vector<bool>& is_kept) const {
  const std::vector<int> coordinates = coordinates_of(rank);
  split_choice choice{0, 0};
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    int& number = is_kept[i] ? choice.key : choice.color;
    number = number * dimensions_[i].size + coordinates[i];
  }
  return choice;
}

void cartesian_grid::check_rank(int rank) const {
  if (rank >= 0 && rank < size_) return;
  throw call_error(error_class::rank,
                   "rank " + std::to_string(rank) + " of a grid with " + std::to_string(size_) + " places");
}

}  // namespace stretto::ranks
