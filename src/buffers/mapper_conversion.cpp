#include "buffers/mapper_conversion.hpp"

#include <algorithm>

namespace stretto::buffers {
namespace {

constexpr std::size_t most_known = 64;

graph::mapping of_function(buffers_state& s, const std::shared_ptr<const detail::range_mapper::function>& f,
                           const box& elements) {
  const auto known =
      std::ranges::find_if(s.custom_mappings, [&](const auto& k) { return k.of == f && k.elements == elements; });
  if (known != s.custom_mappings.end()) return known->is;
  if (s.custom_mappings.size() == most_known) s.custom_mappings.erase(s.custom_mappings.begin());
  auto& now = s.custom_mappings.emplace_back();
  now.of = f;
  now.elements = elements;
  now.is = graph::mapping::custom(elements, [f](const box& chunk, const box& all, const box& range) {
    const std::vector<box> used = (*f)(chunk, all, range);
    return region(std::span<const box>(used));
  });
  return now.is;
}

}  // namespace

graph::mapping mapping_of(buffers_state& s, const detail::range_mapper& m, const box& elements) {
  using kind = detail::range_mapper::kind;
  switch (m.is) {
    case kind::one_to_one: return graph::mapping::one_to_one(elements);
    case kind::neighborhood: return graph::mapping::neighborhood(elements, m.border);
    case kind::star: return graph::mapping::star(elements, m.border);
    case kind::wrapped: return graph::mapping::wrapped(elements, m.border);
    case kind::slice: return graph::mapping::slice(elements, m.axis);
    case kind::all: return graph::mapping::all(elements);
    case kind::fixed: return graph::mapping::fixed(elements, intersection(m.always, elements));
    case kind::transposed: return graph::mapping::transposed(elements, m.by);
    case kind::even_split: return graph::mapping::even_split(elements);
    case kind::custom: return of_function(s, m.custom, elements);
  }
  return {};
}

detail::mapper_form form_of(const detail::range_mapper& m) noexcept {
  using kind = detail::range_mapper::kind;
  using form = detail::mapper_form::kind;
  switch (m.is) {
    case kind::one_to_one: return {.is = form::one_to_one};
    case kind::neighborhood:
    case kind::star:
    case kind::wrapped: return {.is = form::around, .border = m.border};
    case kind::slice: return {.is = form::slice, .axis = m.axis};
    case kind::transposed: return {.is = form::transposed, .by = m.by};
    case kind::all:
    case kind::fixed:
    case kind::even_split:
    case kind::custom: break;
  }
  return {};
}

}  // namespace stretto::buffers
