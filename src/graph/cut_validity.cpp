#include "graph/cut_validity.hpp"

#include <algorithm>

namespace stretto::graph {
namespace {

bool is_alone(const task& t, const reduction& r) {
  return std::ranges::none_of(t.accesses, [&](const access& a) { return a.buffer == r.buffer; }) &&
         std::ranges::count(t.reductions, r.buffer, &reduction::buffer) == 1;
}

}  // namespace

bool is_valid_for_any_cut(const task& t, node_number nodes) {
  std::array<bool, max_axes> is_cut{};
  const bool is_divided = t.kind == task_kind::kernel || t.kind == task_kind::collective;
  for (int a = 0; a < max_axes; ++a) is_cut[static_cast<std::size_t>(a)] = is_divided && t.range.length(a) > 1;
  const auto is_checked = [&](const access& a) {
    if (a.where.is_custom()) return false;
    if (!writes(a.how)) return true;
    return is_divided ? a.where.keeps_apart(is_cut) : !is_on_every_node(t.kind) || nodes == 1;
  };
  return std::ranges::all_of(t.accesses, is_checked) &&
         std::ranges::all_of(t.reductions, [&](const reduction& r) { return is_alone(t, r); });
}

}  // namespace stretto::graph
