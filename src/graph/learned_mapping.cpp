#include "graph/learned_mapping.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "graph/learned_function.hpp"

namespace stretto::graph {
namespace {

struct candidate {
  std::string text;
  mapping is;
};

std::string mapper_text(const char* name, const point& by, int dimensions) {
  std::string text = std::string(name) + "(" + std::to_string(by[0]);
  bool are_equal = true;
  for (int a = 1; a < dimensions; ++a) are_equal = are_equal && by[a] == by[0];
  for (int a = 1; a < dimensions && !are_equal; ++a) text += ", " + std::to_string(by[a]);
  return text + ")";
}

std::string box_text(const box& b, int dimensions) {
  const auto list = [&](const point& p) {
    std::string text;
    for (int a = 0; a < dimensions; ++a) text += (a ? ", " : "") + std::to_string(p[a]);
    return dimensions == 1 ? text : "{" + text + "}";
  };
  return "fixed(box(" + list(b.min()) + ", " + list(b.max()) + "))";
}

/// The distance to which any use reaches beyond its chunk, along each axis.
point border_of(std::span<const observed_use> uses, int dimensions) {
  point by;
  for (const observed_use& u : uses) {
    const box used = u.used.bounds();
    if (used.is_empty()) continue;
    for (int a = 0; a < dimensions; ++a)
      by[a] = std::max({by[a], u.chunk.min()[a] - used.min()[a], used.max()[a] - u.chunk.max()[a]});
  }
  return by;
}

/// The same for elements that are periodic along each axis: the distance to the nearer side.
point periodic_border_of(std::span<const observed_use> uses, const box& elements, int dimensions) {
  point by;
  for (const observed_use& u : uses)
    for (const box& used : u.used.boxes())
      for (int a = 0; a < dimensions; ++a) {
        const coordinate length = elements.length(a), first = u.chunk.min()[a], last = u.chunk.max()[a] - 1;
        const auto around = [&](coordinate d) { return (d % length + length) % length; };
        // The distance grows up to the middle of the gap outside of the chunk, then shrinks.
        const coordinate middle = last + (length - (last - first)) / 2;
        for (const coordinate at : {used.min()[a], used.max()[a] - 1, first - 1, last + 1, middle, middle - length})
          if (at >= used.min()[a] && at < used.max()[a] && (at < first || at > last))
            by[a] = std::max(by[a], std::min(around(first - at), around(at - last)));
      }
  return by;
}

void add_transposed(std::vector<candidate>& to, const box& elements, int dimensions) {
  if (dimensions == 2) to.push_back({"transposed", mapping::transposed(elements, {1, 0, 2})});
  if (dimensions != 3) return;
  std::array<std::uint8_t, max_axes> by{0, 1, 2};
  while (std::ranges::next_permutation(by).found) {
    const bool has_name = by == std::array<std::uint8_t, max_axes>{1, 0, 2};
    to.push_back({has_name ? "transposed"
                           : "transposed_by(" + std::to_string(by[0]) + ", " + std::to_string(by[1]) + ", " +
                                 std::to_string(by[2]) + ")",
                  mapping::transposed(elements, by)});
  }
}

}  // namespace

compared_mapping compare(const mapping& m, std::span<const observed_use> uses, const box& range) {
  compared_mapping is;
  used_boxes named;
  for (const observed_use& u : uses) {
    named.clear();
    m.used_by(u.chunk, range, named);
    const region all{std::span<const box>(named)};
    is.named += all.volume();
    // For inexact uses only bounds are compared; a cross has the bounds of its box, so the caller compares the corners.
    is.is_enough = is.is_enough && (u.is_exact ? all.contains(u.used) : all.bounds().contains(u.used.bounds()));
  }
  return is;
}

learned_mapping learn_mapping(std::span<const observed_use> uses, const box& range, const box& elements,
                              int dimensions) {
  box all_used;
  for (const observed_use& u : uses) all_used = hull(all_used, u.used.bounds());
  if (all_used.is_empty()) return {};
  const bool are_exact = std::ranges::all_of(uses, &observed_use::is_exact);
  std::vector<candidate> candidates;  // among equal ones the first is proposed
  candidates.push_back({"one_to_one", mapping::one_to_one(elements)});
  add_transposed(candidates, elements, dimensions);
  for (int a = 0; a < dimensions && dimensions > 1; ++a)
    candidates.push_back({"slice(" + std::to_string(a) + ")", mapping::slice(elements, a)});
  candidates.push_back({"all", mapping::all(elements)});
  if (all_used != elements) candidates.push_back({box_text(all_used, dimensions), mapping::fixed(elements, all_used)});
  candidates.push_back({"even_split", mapping::even_split(elements)});
  if (const point by = border_of(uses, dimensions); by != point()) {
    const bool has_corners = std::ranges::any_of(uses, &observed_use::has_corners);
    if (dimensions > 1 && (are_exact || !has_corners))
      candidates.push_back({mapper_text("star", by, dimensions), mapping::star(elements, by)});
    candidates.push_back({mapper_text("neighborhood", by, dimensions), mapping::neighborhood(elements, by)});
  }
  if (const point by = periodic_border_of(uses, elements, dimensions); are_exact && by != point())
    candidates.push_back({mapper_text("wrapped", by, dimensions), mapping::wrapped(elements, by)});

  learned_mapping best;
  for (const candidate& c : candidates) {
    const compared_mapping is = compare(c.is, uses, range);
    if (is.is_enough && (best.text.empty() || is.named < best.named)) best.text = c.text, best.named = is.named;
  }
  for (const observed_use& u : uses) {
    const std::uint64_t used_elements = u.is_exact ? u.used.volume() : u.count;
    if (used_elements == 0 && !u.is_exact) {
      best.used = 0;
      break;
    }
    best.used += used_elements;
  }
  if (best.fits() || !are_exact) return best;
  if (std::string function = learn_function(uses, range, elements, dimensions); !function.empty())
    best.text = std::move(function), best.named = best.used;
  return best;
}

}  // namespace stretto::graph
