#include "graph/learned_function.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace stretto::graph {
namespace {

/// A bound of a box: the bound of the chunk along an axis plus `by`, or `by` minus that bound, or `by` alone.
struct bound {
  enum class kind : std::uint8_t { same, behind_min, behind_max, before_max, before_min };
  kind is = kind::same;
  int axis = 0;
  coordinate by = 0;

  coordinate of(const box& chunk) const {
    switch (is) {
      case kind::same: return by;
      case kind::behind_min: return chunk.min()[axis] + by;
      case kind::behind_max: return chunk.max()[axis] + by;
      case kind::before_max: return by - chunk.max()[axis];
      case kind::before_min: return by - chunk.min()[axis];
    }
    return 0;
  }
  /// The bound of the same kind that is `at` for this chunk.
  bound through(coordinate at, const box& chunk) const {
    bound b = *this;
    b.by = 0;
    const coordinate of_zero = b.of(chunk);
    b.by = at - of_zero;
    return b;
  }
  std::string text() const {
    const std::string number = std::to_string(by < 0 && is != kind::before_max && is != kind::before_min ? -by : by);
    const auto plus = [&](const char* what) {
      const std::string its = "part." + std::string(what) + "()[" + std::to_string(axis) + "]";
      return by == 0 ? its : its + (by < 0 ? " - " : " + ") + number;
    };
    const auto minus = [&](const char* what) {
      return number + " - part." + what + "()[" + std::to_string(axis) + "]";
    };
    switch (is) {
      case kind::same: return std::to_string(by);
      case kind::behind_min: return plus("min");
      case kind::behind_max: return plus("max");
      case kind::before_max: return minus("max");
      case kind::before_min: return minus("min");
    }
    return {};
  }
};

using interval = std::array<bound, 2>;
using box_by_bounds = std::array<interval, max_axes>;

box of(const box_by_bounds& r, const box& chunk) {
  point min, max;
  for (std::size_t a = 0; a < max_axes; ++a) min[int(a)] = r[a][0].of(chunk), max[int(a)] = r[a][1].of(chunk);
  return box::between(min, max);
}

/// The ways in which the interval of a box can follow that of a chunk, simple ones first.
std::vector<interval> ways(const box& range) {
  using kind = bound::kind;
  std::vector<interval> all{{bound{}, bound{}}};
  for (int a = 0; a < max_axes; ++a) {
    if (range.length(a) < 2) continue;
    const auto both = [&](kind low, kind high) { all.push_back({bound{low, a}, bound{high, a}}); };
    both(kind::behind_min, kind::behind_max);
    both(kind::before_max, kind::before_min);
    both(kind::same, kind::behind_max);
    both(kind::behind_min, kind::same);
    both(kind::behind_min, kind::behind_min);
    both(kind::behind_max, kind::behind_max);
  }
  return all;
}

class search {
 public:
  search(std::span<const observed_use> uses, const box& range, const box& elements, int dimensions)
      : uses_(uses), elements_(elements), dimensions_(dimensions), ways_(ways(range)) {
    for (const observed_use& u : uses) left_.push_back(u.used);
  }

  bool is_done() const { return std::ranges::all_of(left_, &region::is_empty); }
  /// Adds the box that names most of the elements left. False: no box names any of them.
  bool add() {
    std::uint64_t most = 0;
    box_by_bounds best;
    for (std::size_t i = 0; i < uses_.size() && i < most_chunks; ++i)
      for (std::size_t k = 0; k < left_[i].boxes().size() && k < most_of_each; ++k)
        consider(left_[i].boxes()[k], uses_[i].chunk, best, most);
    if (most == 0) return false;
    widen(best, most);
    for (std::size_t i = 0; i < uses_.size(); ++i)
      left_[i] -= region(intersection(of(best, uses_[i].chunk), elements_));
    found_.push_back(best);
    return true;
  }
  std::string text() const {
    bool leaves = false;
    for (const box_by_bounds& r : found_)
      for (const observed_use& u : uses_) leaves = leaves || !elements_.contains(of(r, u.chunk));
    std::string list;
    for (const box_by_bounds& r : found_) {
      const std::string one = "box(" + corner(r, 0) + ", " + corner(r, 1) + ")";
      list += (list.empty() ? "" : ", ") + (leaves ? "intersection(" + one + ", all)" : one);
    }
    return std::string("[](const box& part") + (leaves ? ", const box& all" : "") + ") { return " +
           (found_.size() == 1 ? list : "std::vector{" + list + "}") + "; }";
  }

 private:
  static constexpr std::size_t most_chunks = 16, most_of_each = 8;

  /// The number of elements left that the box names over all chunks; 0 if it names an element that a chunk does not
  /// use.
  std::uint64_t named_by(const box_by_bounds& r) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const box b = intersection(of(r, uses_[i].chunk), elements_);
      if (!uses_[i].used.contains(region(b))) return 0;
      sum += (left_[i] & region(b)).volume();
    }
    return sum;
  }

  void consider(const box& seen, const box& chunk, box_by_bounds& best, std::uint64_t& most) const {
    const auto through = [&](const interval& w, int a) {
      return interval{w[0].through(seen.min()[a], chunk), w[1].through(seen.max()[a], chunk)};
    };
    const std::size_t n = ways_.size(), on1 = dimensions_ > 1 ? n : 1, on2 = dimensions_ > 2 ? n : 1;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < on1; ++j)
        for (std::size_t k = 0; k < on2; ++k) {
          const box_by_bounds r{through(ways_[i], 0), through(ways_[j], 1), through(ways_[k], 2)};
          if (const std::uint64_t named = named_by(r); named > most) most = named, best = r;
        }
  }

  /// Widens bounds: a box observed at the border of the elements may reach further for other chunks.
  void widen(box_by_bounds& best, std::uint64_t& most) const {
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions_); ++a)
      for (std::size_t end = 0; end < 2; ++end)
        for (std::size_t i = 0; i < uses_.size() && i < most_chunks; ++i)
          for (const box& b : left_[i].boxes()) {
            box_by_bounds r = best;
            r[a][end] = r[a][end].through(end ? b.max()[int(a)] : b.min()[int(a)], uses_[i].chunk);
            if (const std::uint64_t named = named_by(r); named > most) most = named, best = r;
          }
  }

  std::string corner(const box_by_bounds& r, std::size_t end) const {
    std::string list;
    for (std::size_t a = 0; a < static_cast<std::size_t>(dimensions_); ++a) list += (a ? ", " : "") + r[a][end].text();
    return dimensions_ == 1 ? list : "{" + list + "}";
  }

  const std::span<const observed_use> uses_;
  const box elements_;
  const int dimensions_;
  const std::vector<interval> ways_;
  std::vector<region> left_;
  std::vector<box_by_bounds> found_;
};

}  // namespace

std::string learn_function(std::span<const observed_use> uses, const box& range, const box& elements, int dimensions,
                           std::size_t most) {
  search s(uses, range, elements, dimensions);
  for (std::size_t n = 0; n < most && !s.is_done(); ++n)
    if (!s.add()) return {};
  return s.is_done() ? s.text() : std::string();
}

}  // namespace stretto::graph
