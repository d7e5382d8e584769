#include "graph/validity.hpp"

namespace stretto::graph {

void validity::copied(const box& where, memory_number m) {
  for (const auto& [part, has] : valid_.query(where)) valid_.update(part, has | only(m));
}

void validity::make_valid(const box& where, memory_number m, std::vector<valid_part>& lacking) {
  bool is_there = true;
  valid_.look(where, [&](const box&, memory_set has) { return is_there = (has & only(m)) != 0; });
  if (is_there) return;
  for (const valid_part& p : valid_.query(where)) {
    if (p.second & only(m)) continue;
    valid_.update(p.first, p.second | only(m));
    lacking.push_back(p);
  }
}

void validity::lost(const box& where, memory_number m) {
  for (const auto& [part, has] : valid_.query(where)) {
    const memory_set left = has & ~only(m);
    if (!left) valid_.erase(part);
    else if (left != has) valid_.update(part, left);
  }
}

std::vector<std::uint64_t> validity::key() const {
  std::vector<std::uint64_t> out;
  for (const auto& [part, has] : valid_.query(elements_)) {
    for (int a = 0; a < max_axes; ++a)
      out.push_back(static_cast<std::uint64_t>(part.min()[a])),
          out.push_back(static_cast<std::uint64_t>(part.max()[a]));
    out.push_back(has);
  }
  return out;
}

}  // namespace stretto::graph
