#include "geometry/region_map.hpp"

namespace stretto {

box joined(const box& a, const box& b) {
  int differing = -1;
  for (int i = 0; i < max_axes; ++i) {
    if (a.min()[i] == b.min()[i] && a.max()[i] == b.max()[i]) continue;
    if (differing >= 0) return {};
    differing = i;
  }
  if (differing < 0) return {};  // the boxes are equal, so they are not disjoint
  if (a.max()[differing] != b.min()[differing] && b.max()[differing] != a.min()[differing]) return {};
  return hull(a, b);
}

}  // namespace stretto
