// message_data.hpp - the memory that a message is sent from or received into: elements of a datatype, or plain bytes.
//
// Threads     values; the memory is the program's.
// Cost        copies of dense data: one memcpy, up to 64 bytes without a call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/block_copy.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/layout_copy.hpp"

namespace stretto::ranks {

struct message_data {
  std::byte* memory = nullptr;  // of the first element; of the first byte if dense
  std::int64_t bytes = 0;
  const type_layout* layout = nullptr;  // null: the bytes lie one after another
  std::int64_t position = 0;            // of the first byte in the data of the elements; 0 if dense

  message_data() = default;
  /// Plain bytes. A message only reads what it sends.
  message_data(const void* from, std::int64_t bytes_of)
      : memory(static_cast<std::byte*>(const_cast<void*>(from))), bytes(bytes_of) {}
  /// `count` elements of a committed type, whose layout must live until the message is complete.
  message_data(const void* elements, std::int64_t count, const type_layout& of)
      : message_data(elements, count * of.size()) {
    if (of.is_dense() && bytes > 0) memory += of.dense_offset();
    else if (bytes > 0) layout = &of;
  }

  bool is_dense() const { return layout == nullptr; }
  layout_cursor cursor_at(std::int64_t offset) const;
};

/// Copies the bytes from `first` to `last` of one to those of the other, which must have them.
void copy_part(const message_data& to, const message_data& from, std::int64_t first, std::int64_t last);

/// Copies as many bytes as both have, and returns their number.
inline std::int64_t copy_message(const message_data& to, const message_data& from) {
  const std::int64_t bytes = std::min(to.bytes, from.bytes);
  if (to.is_dense() && from.is_dense()) [[likely]]
    copy_bytes(to.memory, from.memory, bytes);
  else copy_part(to, from, 0, bytes);
  return bytes;
}

}  // namespace stretto::ranks
