// type_layout.cpp - properties of layouts.
#include "ranks/datatypes/type_layout.hpp"

#include <algorithm>
#include <utility>

#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {

type_layout::type_layout(std::vector<layout_step> steps, layout_tables tables, std::int64_t size, std::int64_t extent)
    : steps_(std::move(steps)), tables_(std::move(tables)), size_(size), extent_(extent) {
  int depth = 0;
  for (const layout_step& step : steps_) {
    if (step.what == layout_step::kind::loop) depth_ = std::max(depth_, ++depth);
    if (step.what == layout_step::kind::end_of_loop) --depth;
  }
}

bool type_layout::is_dense() const {
  const layout_leaf* leaf = single_leaf();
  return leaf && leaf->runs == 1 && leaf->count == 1 && leaf->block == extent_;
}

bool fuse_elements(const type_layout& layout, std::int64_t count, layout_leaf& leaf) {
  const layout_leaf* element = layout.single_leaf();
  if (!element) return false;
  const bool is_one = count == 1, is_once = element->count == 1;
  const bool continues = element->runs == 1 && is_product(element->count, element->stride, layout.extent());
  if (!is_one && !is_once && !continues) return false;
  leaf = *element;
  if (is_one) return true;
  leaf.count = element->count * count;
  if (!is_once) return true;
  leaf.stride = layout.extent();
  if (leaf.runs == 1 && leaf.block == leaf.stride) {
    leaf.block = leaf.bytes = leaf.block * count;
    leaf.count = 1;
  }
  return true;
}

const type_layout& layout_of_bytes() {
  static const type_layout layout = [] {
    layout_step step;
    step.leaf.bytes = step.leaf.block = 1;
    return type_layout({step}, {}, 1, 1);
  }();
  return layout;
}

}  // namespace stretto::ranks
