#include "demo/particles/serial_reference.hpp"

namespace particles {
namespace {

/// The particles in each cell of the box, by id.
class whole_box {
 public:
  whole_box(const box& b, const std::vector<particle>& all)
      : all_(all), unit_(b.unit), cells_(b.cells), of_(all.size()) {
    begin_.resize(std::size_t{cells_} * cells_ + 1);
    std::vector<std::size_t> cell;
    for (const particle& q : all) {
      cell.push_back(b.cell_of(q.at[0]) + std::size_t{cells_} * b.cell_of(q.at[1]));
      ++begin_[cell.back() + 1];
    }
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    auto next = begin_;
    for (std::uint32_t i = 0; i < all.size(); ++i) of_[next[cell[i]]++] = i;
  }

  /// visit(i, j, way from i to j) for all i, and all j in its cell and around.
  template <class F>
  void each_pair(F&& visit) const {
    for (std::uint32_t y = 0; y < cells_; ++y)
      for (std::uint32_t x = 0; x < cells_; ++x)
        for (std::size_t i = begin_[at(x, y)]; i < begin_[at(x, y) + 1]; ++i)
          for (std::uint32_t row : {y + cells_ - 1, y, y + 1})
            for (std::uint32_t column : {x + cells_ - 1, x, x + 1}) {
              const std::size_t c = at(column % cells_, row % cells_);
              for (std::size_t j = begin_[c]; j < begin_[c + 1]; ++j)
                if (i != j) visit(of_[i], of_[j], way(all_[of_[i]].at, all_[of_[j]].at, unit_));
            }
  }

 private:
  std::size_t at(std::uint32_t x, std::uint32_t y) const { return x + std::size_t{cells_} * y; }

  const std::vector<particle>& all_;
  const double unit_;
  const std::uint32_t cells_;
  std::vector<std::size_t> begin_;
  std::vector<std::uint32_t> of_;
};

void feel(const box& b, std::vector<particle>& all) {
  for (particle& q : all) q.force = {};
  whole_box(b, all).each_pair([&](std::uint32_t i, std::uint32_t, const pair& away) { add_force(all[i].force, away); });
}

}  // namespace

std::vector<particle> moved_serially(const problem& p, std::vector<particle> all,
                                     const std::function<void()>& after_step) {
  const box b = p.in();
  feel(b, all);
  for (std::uint32_t step = 0; step < p.steps; ++step) {
    for (particle& q : all) {
      kick(q);
      drift(q, b.unit, b.wind);
    }
    feel(b, all);
    for (particle& q : all) kick(q);
    if (after_step) after_step();
  }
  return all;
}

double potential_of(const box& b, const std::vector<particle>& all) {
  double sum = 0;
  whole_box(b, all).each_pair([&](std::uint32_t, std::uint32_t, const pair& away) { sum += 0.5 * potential(away); });
  return sum;
}

}  // namespace particles
