#include "demo/particles/cell_list.hpp"

#include <algorithm>
#include <span>

namespace particles {

block block_of(const box& b, const cut& c, std::uint32_t x, std::uint32_t y) {
  block found;
  const std::uint32_t parts[] = {c.x, c.y}, position[] = {x, y};
  for (unsigned axis = 0; axis < 2; ++axis) {
    const auto begin = [&](std::uint64_t i) { return static_cast<std::uint32_t>(i * b.cells / parts[axis]); };
    found.first[axis] = begin(position[axis]);
    found.size[axis] = begin(position[axis] + 1) - found.first[axis];
  }
  return found;
}

void cell_list::sort(const box& in, const block& of, const std::vector<particle>& mine,
                     const std::vector<ghost>& others) {
  const std::uint32_t row = of.size[0] + 2;
  begin_.assign(std::size_t{row} * (of.size[1] + 2) + 1, 0);
  cell_.clear();
  const auto count = [&](const place& at) {
    const std::int32_t x = of.from_first(0, in.cell_of(at[0]), in.cells),
                       y = of.from_first(1, in.cell_of(at[1]), in.cells);
    cell_.push_back(static_cast<std::uint32_t>(x + 1) + row * static_cast<std::uint32_t>(y + 1));
    ++begin_[cell_.back() + 1];
  };
  for (const particle& p : mine) count(p.at);
  for (const ghost& g : others) count(g.at);
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  next_ = begin_;
  in_order_.resize(cell_.size());
  const auto put = [&](std::uint32_t index, std::uint32_t id, const place& at) {
    in_order_[next_[cell_[index]]++] = {at, id, index};
  };
  std::uint32_t index = 0;
  for (const particle& p : mine) put(index++, p.id, p.at);
  for (const ghost& g : others) put(index++, g.id, g.at);
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c)
    if (begin_[c + 1] - begin_[c] > 1)
      std::sort(in_order_.begin() + begin_[c], in_order_.begin() + begin_[c + 1],
                [](const entry& a, const entry& b) { return a.id < b.id; });
}

double cell_list::feel(const box& in, const block& of, std::vector<particle>& mine, const std::vector<ghost>& others) {
  sort(in, of, mine, others);
  const std::uint32_t row = of.size[0] + 2;
  std::uint64_t pairs = 0;
  for (std::uint32_t y = 1; y <= of.size[1]; ++y)
    for (std::uint32_t x = 1; x <= of.size[0]; ++x) {
      const std::uint32_t middle = x + row * y;
      const auto three_from = [&](std::uint32_t c) {
        return std::span(in_order_).subspan(begin_[c - 1], begin_[c + 2] - begin_[c - 1]);
      };
      const std::array near{three_from(middle - row), three_from(middle), three_from(middle + row)};
      for (std::uint32_t i = begin_[middle]; i < begin_[middle + 1]; ++i) {
        const entry& self = in_order_[i];
        pair force = {};
        for (const auto& cells : near)
          for (const entry& other : cells)
            if (&other != &self) add_force(force, way(self.at, other.at, in.unit));
        mine[self.index].force = force;
      }
      pairs += (begin_[middle + 1] - begin_[middle]) * std::uint64_t{near[0].size() + near[1].size() + near[2].size()};
    }
  return static_cast<double>(pairs);
}

}  // namespace particles
