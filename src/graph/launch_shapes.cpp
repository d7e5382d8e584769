#include "graph/launch_shapes.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

constexpr std::size_t most_shapes = 16;

launch_shapes::shape evaluated(const mapping& where, const chunk_grid& grid) {
  launch_shapes::shape s;
  s.where = where;
  s.grid = grid;
  region_map<node_number> users;
  std::vector<box> all;
  for (node_number n = 0; n < grid.chunks(); ++n) {
    used_boxes& own = s.of_nodes.emplace_back();
    where.used_by(grid.chunk(n), grid.range(), own);
    for (box& b : own) {
      if (!where.elements().contains(b) && !s.outside.is_there) s.outside = {true, n, n, b};
      b = intersection(b, where.elements());
      if (!s.overlap.is_there)
        for (const auto& [part, other] : users.query(b))
          if (other != n) {
            s.overlap = {true, other, n, part};
            break;
          }
      users.update(b, n);
      all.push_back(b);
    }
  }
  const region together{std::span<const box>(all)};
  s.of_all.assign(together.boxes().begin(), together.boxes().end());
  return s;
}

}  // namespace

const launch_shapes::shape& launch_shapes::find(const mapping& where, const chunk_grid& grid) {
  const auto found = std::ranges::find_if(shapes_, [&](const shape& s) { return s.where == where && s.grid == grid; });
  if (found != shapes_.end()) return *found;
  if (shapes_.size() < most_shapes) return shapes_.emplace_back(evaluated(where, grid));
  next_ = (next_ + 1) % most_shapes;
  return shapes_[next_] = evaluated(where, grid);
}

}  // namespace stretto::graph
