#include "graph/learned_mapping.hpp"

#include <algorithm>
#include <vector>

namespace stretto::graph {
namespace {

struct candidate {
  std::string text;
  mapping is;
};

std::string borders(const char* name, const point& by, int dimensions) {
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

/// How far beyond their chunks any of them reaches, along each axis.
point border_of(std::span<const seen_use> uses, int dimensions) {
  point by;
  for (const seen_use& u : uses) {
    if (u.used.is_empty()) continue;
    for (int a = 0; a < dimensions; ++a)
      by[a] = std::max({by[a], u.chunk.min()[a] - u.used.min()[a], u.used.max()[a] - u.chunk.max()[a]});
  }
  return by;
}

}  // namespace

compared_mapping compare(const mapping& m, std::span<const seen_use> uses, const box& range) {
  compared_mapping is;
  used_boxes named;
  for (const seen_use& u : uses) {
    named.clear();
    m.used_by(u.chunk, range, named);
    const region all{std::span<const box>(named)};
    is.named += all.volume();
    // A cross names what a box around it has, but for the corners: who compares crosses looks at these.
    box around;
    for (const box& b : named) around = hull(around, b);
    is.is_enough = is.is_enough && around.contains(u.used);
  }
  return is;
}

learned_mapping learn_mapping(std::span<const seen_use> uses, const box& range, const box& elements, int dimensions) {
  box all_used;
  for (const seen_use& u : uses) all_used = hull(all_used, u.used);
  if (all_used.is_empty()) return {};
  std::vector<candidate> candidates;  // of equal ones, the first is proposed
  candidates.push_back({"one_to_one", mapping::one_to_one(elements)});
  if (dimensions > 1) candidates.push_back({"transposed", mapping::transposed(elements, {1, 0, 2})});
  for (int a = 0; a < dimensions && dimensions > 1; ++a) candidates.push_back({"slice(" + std::to_string(a) + ")", mapping::slice(elements, a)});
  candidates.push_back({"all", mapping::all(elements)});
  if (all_used != elements) candidates.push_back({box_text(all_used, dimensions), mapping::fixed(elements, all_used)});
  candidates.push_back({"even_split", mapping::even_split(elements)});
  const point by = border_of(uses, dimensions);
  const bool has_corners = std::ranges::any_of(uses, &seen_use::has_corners);
  if (by != point()) {
    if (dimensions > 1 && !has_corners) candidates.push_back({borders("star", by, dimensions), mapping::star(elements, by)});
    candidates.push_back({borders("neighborhood", by, dimensions), mapping::neighborhood(elements, by)});
  }

  learned_mapping best;
  for (const candidate& c : candidates) {
    const compared_mapping is = compare(c.is, uses, range);
    if (is.is_enough && (best.text.empty() || is.named < best.named)) best = {c.text, is.named};
  }
  return best;
}

}  // namespace stretto::graph
