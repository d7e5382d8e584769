#include "buffers/use_checks.hpp"

#include "buffers/mapper_conversion.hpp"

namespace stretto::buffers {
namespace {

// For custom mappers that are evaluated at each launch only the first cuts are checked.
constexpr std::size_t most_parts = 256;

data::checked_argument checked(const argument_use& u) {
  return {.number = u.number,
          .how = u.how,
          .elements = u.of->elements,
          .axes = u.of->type.dimensions,
          .form = form_of(*u.by)};
}

/// The items, or the chunks of a host function, between which cuts may lie.
geometry::divisible_range divisible(const graph::task& t) {
  geometry::divisible_range r{.items = t.range, .grain = t.grain};
  if (!t.is_by_chunk) return r;
  r.along = {true, t.how == graph::cut::in_tiles, false};
  if (t.how == graph::cut::in_tiles) return r;
  int slowest = 0;
  while (slowest < max_axes - 1 && t.range.length(slowest) == 1) ++slowest;
  r.along = {slowest == 0, slowest == 1, slowest == 2};
  return r;
}

geometry::used_elements used_by(const graph::mapping& m, const box& range) {
  return [&m, &range](const box& part, geometry::box_list& out) {
    graph::used_boxes used;
    m.used_by(part, range, used);
    for (const box& b : used) out.push_back(m.is_custom() ? intersection(b, m.elements()) : b);
  };
}

}  // namespace

void check_uses(const graph::task& t, std::span<const argument_use> uses, const data::checked_launch& l) {
  const auto text_of = [](const argument_use& u) { return [of = u.of] { return describe(*of); }; };
  if (t.kind == graph::task_kind::kernel)
    for (const argument_use& u : uses) data::check_axes(l, checked(u), text_of(u));
  if ((t.kind != graph::task_kind::kernel && t.kind != graph::task_kind::collective) || t.range.is_empty()) return;
  const geometry::divisible_range range = divisible(t);
  std::array<bool, max_axes> is_cut{};
  for (int a = 0; a < max_axes; ++a)
    is_cut[static_cast<std::size_t>(a)] = range.along[static_cast<std::size_t>(a)] && t.range.length(a) > 1;
  for (std::size_t w = 0; w < uses.size(); ++w) {
    if (!graph::writes(t.accesses[w].how)) continue;
    for (std::size_t r = 0; r < uses.size(); ++r) {
      if (!graph::reads(t.accesses[r].how) || uses[r].of != uses[w].of) continue;
      const graph::mapping &reads = t.accesses[r].where, &writes = t.accesses[w].where;
      if (reads == writes && reads.keeps_apart(is_cut)) continue;
      const geometry::used_elements read = used_by(reads, t.range), written = used_by(writes, t.range);
      const auto found = geometry::find_use_conflict(range, t.shape ? most_parts : geometry::first_cuts, read,
                                                     reads == writes ? nullptr : &written);
      if (found) data::refuse_conflict(l, *found, checked(uses[r]), checked(uses[w]), text_of(uses[w]));
    }
  }
}

}  // namespace stretto::buffers
