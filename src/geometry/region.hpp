// region.hpp - any set of points that is a union of boxes. Equal sets have equal representations.
//
// Threads     a value.
// Cost        set operations: O(n + m) boxes for one axis, more where bands of one cut bands of the other;
//             contains and meets of a point or box: O(n); of a region: a set operation.
// Invariants  the boxes are disjoint, in lexicographic order and canonical: along axis 0 they form bands that are as
//             long as can be, within a band likewise along axis 1, then 2. So equal sets have equal boxes.
// Source      banded regions: the X Window System's server regions, here in up to three dimensions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include <stretto/box.hpp>

namespace stretto {

class region {
 public:
  region() = default;
  region(const box& b) {
    if (!b.is_empty()) boxes_.push_back(b);
  }
  /// The union of boxes that may overlap.
  explicit region(std::span<const box> any);
  region(std::initializer_list<box> any) : region(std::span(any.begin(), any.size())) {}

  const std::vector<box>& boxes() const noexcept { return boxes_; }
  bool is_empty() const noexcept { return boxes_.empty(); }
  std::uint64_t volume() const noexcept;
  /// The smallest box that contains all.
  box bounds() const noexcept;

  bool contains(const point& p) const noexcept;
  bool contains(const region& r) const;
  bool meets(const box& b) const noexcept;
  bool meets(const region& r) const;
  region shifted(const point& by) const;

  std::string text() const;  // "[0,2) + [5,9)", "empty"

  friend region operator|(const region& a, const region& b);
  friend region operator&(const region& a, const region& b);
  friend region operator-(const region& a, const region& b);
  region& operator|=(const region& b) { return *this = *this | b; }
  region& operator&=(const region& b) { return *this = *this & b; }
  region& operator-=(const region& b) { return *this = *this - b; }

  friend bool operator==(const region&, const region&) = default;

 private:
  std::vector<box> boxes_;
};

std::ostream& operator<<(std::ostream& to, const region& r);

}  // namespace stretto
