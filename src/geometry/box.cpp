#include <stretto/box.hpp>

#include <ostream>

namespace stretto {

std::string box::text() const {
  if (is_empty()) return "empty";
  int axes = max_axes;
  while (axes > 1 && min_[axes - 1] == 0 && max_[axes - 1] == 1) --axes;
  std::string s;
  for (int i = 0; i < axes; ++i)
    s += (i == 0 ? "[" : "x[") + std::to_string(min_[i]) + "," + std::to_string(max_[i]) + ")";
  return s;
}

std::ostream& operator<<(std::ostream& to, const box& b) { return to << b.text(); }

std::ostream& operator<<(std::ostream& to, const point& p) {
  return to << '(' << p[0] << ',' << p[1] << ',' << p[2] << ')';
}

// Cuts off the parts of a below and above b, axis by axis from the slowest. The rest is the intersection.
void difference(const box& a, const box& b, std::vector<box>& out) {
  if (!a.meets(b)) {
    if (!a.is_empty()) out.push_back(a);
    return;
  }
  point min = a.min(), max = a.max();
  for (int axis = 0; axis < max_axes; ++axis) {
    if (min[axis] < b.min()[axis]) {
      point cut = max;
      cut[axis] = b.min()[axis];
      out.push_back(box::between(min, cut));
      min[axis] = b.min()[axis];
    }
    if (b.max()[axis] < max[axis]) {
      point cut = min;
      cut[axis] = b.max()[axis];
      out.push_back(box::between(cut, max));
      max[axis] = b.max()[axis];
    }
  }
}

}  // namespace stretto
