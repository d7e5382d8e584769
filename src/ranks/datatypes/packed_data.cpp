// packed_data.cpp - packing as a copy from or to plain bytes.
#include "ranks/datatypes/packed_data.hpp"

#include <algorithm>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/device_copies.hpp"
#include "ranks/datatypes/layout_copy.hpp"
#include "ranks/datatypes/moved_address.hpp"
#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

void check_space(std::int64_t bytes, std::int64_t position, std::size_t size) {
  const auto end = static_cast<std::int64_t>(size);
  if (position >= 0 && position <= end && bytes <= end - position) return;
  throw call_error(error_class::truncate, std::to_string(bytes) + " bytes at position " + std::to_string(position) +
                                              " do not fit into a buffer of " + std::to_string(size));
}

void pack(const datatype& type, const void* elements, std::int64_t count, std::span<std::byte> packed,
          std::int64_t& position) {
  const std::int64_t bytes = product(type.size(), count);
  check_space(bytes, position, packed.size());
  layout_cursor from(type.layout(), elements, count);
  layout_cursor to(layout_of_bytes(), packed.data() + position, bytes);
  position += copy_data(to, from, bytes);
}

void unpack(const datatype& type, void* elements, std::int64_t count, std::span<const std::byte> packed,
            std::int64_t& position) {
  const std::int64_t bytes = product(type.size(), count);
  check_space(bytes, position, packed.size());
  layout_cursor from(layout_of_bytes(), packed.data() + position, bytes);
  layout_cursor to(type.layout(), elements, count);
  position += copy_data(to, from, bytes);
}

std::int64_t copy_elements(const datatype& target, void* to, std::int64_t to_count, const datatype& source,
                           const void* from, std::int64_t from_count) {
  if (source.layout().is_dense() && target.layout().is_dense()) {
    const std::int64_t bytes = std::min(source.size() * from_count, target.size() * to_count);
    if (bytes == 0) return 0;
    copy_anywhere(moved(static_cast<std::byte*>(to), target.layout().dense_offset()),
                  moved(static_cast<const std::byte*>(from), source.layout().dense_offset()), bytes);
    return bytes;
  }
  layout_cursor source_cursor(source.layout(), from, from_count);
  layout_cursor target_cursor(target.layout(), to, to_count);
  return copy_data(target_cursor, source_cursor, source_cursor.left());
}

}  // namespace stretto::ranks
