// message_data.cpp - copies of data that is not dense.
#include "ranks/messages/message_data.hpp"

#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

layout_cursor message_data::cursor_at(std::int64_t offset) const {
  if (is_dense()) return {layout_of_bytes(), memory, bytes, offset};
  // A count that has all bytes: the cursor may go further than these.
  const std::int64_t end = position + bytes, size = layout->size();
  return {*layout, memory, (end + size - 1) / size, position + offset};
}

void copy_part(const message_data& to, const message_data& from, std::int64_t first, std::int64_t last) {
  if (first >= last) return;
  if (to.is_dense() && from.is_dense()) return copy_bytes(to.memory + first, from.memory + first, last - first);
  layout_cursor target = to.cursor_at(first), source = from.cursor_at(first);
  copy_data(target, source, last - first);
}

}  // namespace stretto::ranks
