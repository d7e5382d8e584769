// data_part.hpp - some consecutive bytes of the data of elements, wherever these lie in memory.
//
// A message of a collective carries such a part. So a buffer of any datatype is cut at any byte, and no rank packs data
// to send a piece of it.
//
// Threads     values; the memory is the caller's.
// Cost        copies: those of layout_copy.hpp, one memcpy where both parts are dense.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {

class data_part {
 public:
  data_part() = default;
  /// Plain bytes.
  data_part(void* memory, std::int64_t bytes) : memory_(memory), bytes_(bytes) {}
  /// All data of `count` elements of a committed type.
  data_part(const void* elements, std::int64_t count, const datatype& type);

  std::int64_t bytes() const { return bytes_; }
  /// The bytes lie one after another, from address() on.
  bool is_dense() const { return layout_ == nullptr; }
  /// Where dense bytes begin, or the first element.
  std::byte* address() const { return static_cast<std::byte*>(memory_); }
  /// Else: the elements from address() on have this layout; position() is that of the first byte in their data.
  const type_layout* layout() const { return layout_; }
  std::int64_t position() const { return position_; }
  /// A cursor at the first byte. It may have more than bytes() left.
  layout_cursor cursor() const;

  /// The part of this one from `first` on, of at most `bytes` bytes; `first` may lie behind the end.
  data_part part(std::int64_t first, std::int64_t bytes) const;

 private:
  const type_layout* layout_ = nullptr;  // null: dense
  void* memory_ = nullptr;               // of the first element; of the first byte if dense
  std::int64_t position_ = 0;            // of the first byte, in the data; 0 if dense
  std::int64_t bytes_ = 0;
};

/// Copies as many bytes as both have; returns their number. The memory of the two may not overlap.
std::int64_t copy_part(const data_part& to, const data_part& from);

}  // namespace stretto::ranks
