// data_part.hpp - some consecutive bytes of the data of elements, wherever these lie in memory: what a message carries.
//
// So a buffer of any datatype is cut at any byte, and no rank packs data to send a piece of it.
//
// Threads     values; the memory is the program's.
// Cost        copies: one memcpy where both parts are dense, up to 64 bytes without a call; else layout_copy.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/block_copy.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/device_memory.hpp"
#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {

class data_part {
 public:
  data_part() = default;
  /// Plain bytes. Of what is sent they are only read.
  data_part(const void* memory, std::int64_t bytes)
      : memory_(static_cast<std::byte*>(const_cast<void*>(memory))), bytes_(bytes) {
    if (has_device_memory()) [[unlikely]]
      mark_device_memory();
  }
  /// All data of `count` elements of a committed type, whose layout must live as long as the part is used.
  data_part(const void* elements, std::int64_t count, const datatype& type)
      : data_part(elements, product(count, type.size())) {
    if (bytes_ > 0 && !type.basic()) set_layout(type.layout(), count);  // a basic type is one run
  }

  std::int64_t bytes() const { return bytes_; }
  /// The bytes lie one after another, from address() on, and the host can access them.
  bool is_dense() const { return layout_ == nullptr; }
  /// Where dense bytes begin, or the first element.
  std::byte* address() const { return memory_; }
  /// Of dense data that its sender only reads from now on.
  bool is_readonly() const { return is_dense() && position_ == of_sender; }
  /// Of a receive: the variable that may point to the sender's memory in place of a copy; null: it is copied. Belongs
  /// to heap/readonly_buffers.
  void** variable() const {
    return is_dense() && position_ != of_sender ? reinterpret_cast<void**>(position_) : nullptr;
  }
  /// Have no effect unless the part is dense. Parts of it are not marked.
  void mark_readonly() {
    if (is_dense()) position_ = of_sender;
  }
  void mark_received(void** variable) {
    if (is_dense()) position_ = reinterpret_cast<std::intptr_t>(variable);
  }
  /// A cursor at a byte of the part. It may have more than bytes() left.
  layout_cursor cursor(std::int64_t offset = 0) const;

  /// The part of this one from `first` on, of at most `bytes` bytes; `first` may lie behind the end.
  data_part part(std::int64_t first, std::int64_t bytes) const;

 private:
  void set_layout(const type_layout& layout, std::int64_t count);
  /// Bytes in the memory of a device get a layout: copies then ask whose memory it is.
  void mark_device_memory();

  static constexpr std::int64_t of_sender = 1;  // no address of a variable

  std::byte* memory_ = nullptr;  // of the first element; of the first byte if dense
  std::int64_t bytes_ = 0;
  const type_layout* layout_ = nullptr;  // null: dense
  std::int64_t position_ = 0;            // of the first byte, in the data of the elements; if dense, its mark or 0
};

/// Copies the bytes from `first` to `last` of one part to those of the other; both must have them. The memory of the
/// two may not overlap.
void copy_part(const data_part& to, const data_part& from, std::int64_t first, std::int64_t last);

/// Copies as many bytes as both have; returns their number.
inline std::int64_t copy_part(const data_part& to, const data_part& from) {
  const std::int64_t bytes = std::min(to.bytes(), from.bytes());
  if (to.is_dense() && from.is_dense()) [[likely]]
    copy_bytes(to.address(), from.address(), bytes);
  else copy_part(to, from, 0, bytes);
  return bytes;
}

/// Whether the host cannot access the first byte.
inline bool is_on_device(const data_part& one) {
  return !one.is_dense() && one.bytes() > 0 && device_memory_at(one.cursor().address());
}
/// Whether a copy between the two needs the driver of a device.
inline bool need_driver(const data_part& a, const data_part& b) {
  return has_device_memory() && (is_on_device(a) || is_on_device(b));
}

class device_copies;
/// Leaves such a copy to the drivers: that of as many bytes as both have.
void add_copies(device_copies& all, const data_part& to, const data_part& from);

}  // namespace stretto::ranks
