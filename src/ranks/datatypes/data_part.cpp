// data_part.cpp - cuts of parts, and copies of those that are not dense.
#include "ranks/datatypes/data_part.hpp"

#include "ranks/datatypes/layout_copy.hpp"
#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

namespace {

/// Whether the data of `count` elements is one run of bytes.
bool is_one_run(const type_layout& layout, std::int64_t count) {
  const layout_leaf* leaf = layout.single_leaf();
  return layout.is_dense() || (count == 1 && leaf && leaf->runs == 1 && leaf->count == 1);
}

}  // namespace

void data_part::set_layout(const type_layout& layout, std::int64_t count) {
  if (!is_one_run(layout, count)) {
    layout_ = &layout;
    return;
  }
  memory_ = moved(memory_, layout.dense_offset());
  mark_device_memory();
}

void data_part::mark_device_memory() { layout_ = device_memory_at(memory_) ? &layout_of_bytes() : nullptr; }

layout_cursor data_part::cursor(std::int64_t offset) const {
  if (is_dense()) return layout_cursor(layout_of_bytes(), memory_, bytes_, offset);
  const std::int64_t end = position_ + bytes_, size = layout_->size();
  return layout_cursor(*layout_, memory_, (end + size - 1) / size, position_ + offset);
}

data_part data_part::part(std::int64_t first, std::int64_t bytes) const {
  data_part result = *this;
  first = std::min(first, bytes_);
  result.bytes_ = std::min(bytes, bytes_ - first);
  if (is_dense()) result.memory_ = address() + first, result.position_ = 0;
  else result.position_ += first;
  return result;
}

void copy_part(const data_part& to, const data_part& from, std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  if (to.is_dense() && from.is_dense()) return copy_bytes(to.address() + first, from.address() + first, last - first);
  layout_cursor target = to.cursor(first), source = from.cursor(first);
  copy_data(target, source, last - first);
}

void add_copies(device_copies& all, const data_part& to, const data_part& from) {
  layout_cursor target = to.cursor(), source = from.cursor();
  add_copies(all, target, source, std::min(to.bytes(), from.bytes()));
}

}  // namespace stretto::ranks
