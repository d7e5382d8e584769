// data_part.cpp - cuts and copies of parts.
#include "ranks/collectives/data_part.hpp"

#include <cstring>

#include "ranks/datatypes/checked_number.hpp"
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

data_part::data_part(const void* elements, std::int64_t count, const datatype& type)
    : memory_(const_cast<void*>(elements)), bytes_(product(count, type.size())) {
  if (bytes_ == 0) return;
  const type_layout& layout = type.layout();
  if (is_one_run(layout, count)) {
    memory_ = static_cast<std::byte*>(memory_) + layout.dense_offset();
  } else {
    layout_ = &layout;
  }
}

layout_cursor data_part::cursor() const {
  if (is_dense()) return layout_cursor(layout_of_bytes(), memory_, bytes_);
  const std::int64_t end = position_ + bytes_, size = layout_->size();
  return layout_cursor(*layout_, memory_, (end + size - 1) / size, position_);
}

data_part data_part::part(std::int64_t first, std::int64_t bytes) const {
  data_part result = *this;
  first = std::min(first, bytes_);
  result.bytes_ = std::min(bytes, bytes_ - first);
  if (is_dense()) result.memory_ = address() + first;
  else result.position_ += first;
  return result;
}

std::int64_t copy_part(const data_part& to, const data_part& from) {
  const std::int64_t bytes = std::min(to.bytes(), from.bytes());
  if (bytes == 0) return 0;
  if (to.is_dense() && from.is_dense()) {
    std::memcpy(to.address(), from.address(), static_cast<std::size_t>(bytes));
    return bytes;
  }
  layout_cursor target = to.cursor(), source = from.cursor();
  return copy_data(target, source, bytes);
}

}  // namespace stretto::ranks
