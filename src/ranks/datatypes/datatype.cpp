// datatype.cpp - sizes and bounds of types, and the predefined ones.
#include "ranks/datatypes/datatype.hpp"

#include <algorithm>
#include <array>

#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

namespace {

/// Makes `bounds` cover `count` copies of themselves, each `stride` bytes further.
void repeat_bounds(type_bounds& bounds, std::int64_t count, std::int64_t stride) {
  const std::int64_t last = product(count - 1, stride);
  const std::int64_t down = std::min<std::int64_t>(last, 0), up = std::max<std::int64_t>(last, 0);
  bounds.lb = sum(bounds.lb, down);
  bounds.true_lb = sum(bounds.true_lb, down);
  bounds.ub = sum(bounds.ub, up);
  bounds.true_ub = sum(bounds.true_ub, up);
}

type_bounds bounds_of(const type_block& block) {
  type_bounds bounds = block.type->bounds();
  repeat_bounds(bounds, block.length, block.type->extent());
  for (std::int64_t* bound : {&bounds.lb, &bounds.ub, &bounds.true_lb, &bounds.true_ub}) {
    *bound = sum(*bound, block.displacement);
  }
  return bounds;
}

/// Widens lb and ub.
void include(type_bounds& all, const type_bounds& more) {
  if (all.are_set && !more.are_set) return;
  if (more.are_set && !all.are_set) {
    all.lb = more.lb;
    all.ub = more.ub;
    all.are_set = true;
    return;
  }
  all.lb = std::min(all.lb, more.lb);
  all.ub = std::max(all.ub, more.ub);
}

std::int64_t rounded_up(std::int64_t bytes, std::int64_t alignment) {
  const std::int64_t rest = bytes % alignment;
  return rest > 0 ? sum(bytes, alignment - rest) : bytes;
}

/// A type without data may have bounds.
bool is_nothing(const datatype& type) { return type.elements() == 0 && !type.bounds().are_set; }

}  // namespace

datatype::datatype(const basic_type& basic)
    : basic_(&basic),
      only_basic_(&basic),
      size_(basic.size),
      alignment_(basic.alignment),
      elements_(1),
      signature_(hash_of_element(basic.number)) {
  bounds_.ub = bounds_.true_ub = basic.size;
}

datatype::datatype(type_map map, type_arguments arguments, const type_bounds* bounds)
    : map_(std::move(map)), arguments_(std::move(arguments)) {
  std::erase_if(map_.blocks, [](const type_block& block) { return block.length == 0 || is_nothing(*block.type); });
  if (map_.count == 0) map_.blocks.clear();
  if (map_.blocks.empty()) map_.count = 0;
  add_blocks();
  set_bounds();
  if (!bounds) return;
  bounds_.lb = bounds->lb;
  bounds_.ub = bounds->ub;
  difference(bounds_.ub, bounds_.lb);
  bounds_.are_set = true;
}

datatype::~datatype() { delete layout_.load(std::memory_order_acquire); }

void datatype::drop_reference() const noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void datatype::add_blocks() {
  bool is_first = true;
  for (const type_block& block : map_.blocks) {
    if (block.type->elements() == 0) continue;
    const basic_type* only = block.type->only_basic();
    only_basic_ = is_first || only == only_basic_ ? only : nullptr;
    is_first = false;
    size_ = sum(size_, product(block.length, block.type->size()));
    elements_ = sum(elements_, product(block.length, block.type->elements()));
    alignment_ = std::max(alignment_, block.type->alignment());
    signature_ = append(signature_, repeat(block.type->signature(), block.length));
  }
  size_ = product(size_, map_.count);
  elements_ = product(elements_, map_.count);
  signature_ = repeat(signature_, map_.count);
}

void datatype::set_bounds() {
  if (map_.blocks.empty()) return;
  bounds_ = bounds_of(map_.blocks.front());
  bool has_data = false;
  for (const type_block& block : map_.blocks) {
    const type_bounds bounds = bounds_of(block);
    include(bounds_, bounds);
    if (block.type->elements() == 0) continue;
    bounds_.true_lb = has_data ? std::min(bounds_.true_lb, bounds.true_lb) : bounds.true_lb;
    bounds_.true_ub = has_data ? std::max(bounds_.true_ub, bounds.true_ub) : bounds.true_ub;
    has_data = true;
  }
  repeat_bounds(bounds_, map_.count, map_.stride);
  if (!has_data) bounds_.true_lb = bounds_.true_ub = 0;
  difference(bounds_.true_ub, bounds_.true_lb);
  difference(bounds_.ub, bounds_.lb);
  if (bounds_.are_set) return;
  // The end of the data and not the ends of the parts, which may be padded themselves.
  bounds_.lb = bounds_.true_lb;
  bounds_.ub = sum(bounds_.lb, rounded_up(true_extent(), alignment_));
}

void datatype::commit() const {
  if (is_committed()) return;
  const type_layout* made = new type_layout(compile_layout(*this));
  const type_layout* before = nullptr;
  if (!layout_.compare_exchange_strong(before, made, std::memory_order_acq_rel)) delete made;
}

namespace {

/// Predefined types by their handles. They are never destroyed: handles of them are valid until the process ends.
struct predefined_table {
  std::array<const datatype*, std::tuple_size_v<decltype(found_types)>> types{};

  predefined_table() {
    for (const basic_type& basic : basic_types()) add(basic.number, new datatype(basic));
    for (const pair_type& pair : pair_types()) {
      type_map map;
      map.blocks = {{0, 1, datatype_ref(types[pair.first])}, {pair.second_offset, 1, datatype_ref(types[pair.second])}};
      add(pair.number, new datatype(std::move(map), {}));
    }
  }

  void add(std::uint16_t number, const datatype* type) {
    type->add_reference();
    type->commit();
    types[number] = type;
  }
};

}  // namespace

const datatype* find_predefined_type(std::uintptr_t handle) {
  static const auto& table = *new predefined_table;
  found_types[handle].store(table.types[handle], std::memory_order_release);
  return table.types[handle];
}

std::string_view predefined_name(const datatype& type) {
  if (type.basic()) return type.basic()->name;
  if (!type.is_predefined()) return {};
  for (const pair_type& pair : pair_types()) {
    if (predefined_type(pair.number) == &type) return pair.name;
  }
  return {};
}

}  // namespace stretto::ranks
