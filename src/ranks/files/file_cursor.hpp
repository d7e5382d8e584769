// file_cursor.hpp - walks through a part of a view's data, from run to run of adjacent bytes of the file.
//
// Threads     one at a time.
// Cost        a few instructions for each run of the filetype's layout.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ranks/datatypes/datatype.hpp"
#include "ranks/datatypes/layout_cursor.hpp"

namespace stretto::ranks {

/// Adjacent bytes of a file.
struct file_run {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  std::int64_t end() const { return offset + bytes; }
};

/// A committed type, repeated from a displacement on: what a view shows.
struct file_pattern {
  const datatype* type = nullptr;
  std::int64_t displacement = 0;

  std::int64_t bytes() const { return std::max<std::int64_t>(1, type->size()); }
};

class file_cursor {
 public:
  /// `bytes` of the pattern's data from `position` on. The type must outlive the cursor.
  file_cursor(const file_pattern& view, std::int64_t position, std::int64_t bytes)
      : cursor_(view.type->layout(), base(view, position), elements(view, position, bytes), position % view.bytes()),
        left_(bytes) {}

  std::int64_t left() const { return left_; }
  /// Of the next byte.
  std::int64_t offset() const { return reinterpret_cast<std::intptr_t>(cursor_.address()) - origin; }
  /// Adjacent bytes from here, of one step of the layout.
  std::int64_t run_left() const { return std::min(left_, cursor_.run_left()); }
  void advance(std::int64_t bytes) {
    left_ -= bytes;
    cursor_.advance(bytes);
  }

  /// Moves behind all bytes from here that are adjacent in the file, at most `most`.
  file_run take(std::int64_t most) {
    file_run run{offset(), 0};
    while (left_ > 0 && run.bytes < most && offset() == run.end()) {
      const std::int64_t bytes = std::min(run_left(), most - run.bytes);
      run.bytes += bytes;
      advance(bytes);
    }
    return run;
  }

 private:
  /// The address that stands for the first byte of the file: not null, from which addresses cannot be computed.
  static constexpr std::int64_t origin = std::int64_t{1} << 46;

  static void* base(const file_pattern& view, std::int64_t position) {
    const std::int64_t element = position / view.bytes() * view.type->extent();
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(origin + view.displacement + element));
  }
  static std::int64_t elements(const file_pattern& view, std::int64_t position, std::int64_t bytes) {
    return (position % view.bytes() + bytes + view.bytes() - 1) / view.bytes();
  }

  layout_cursor cursor_;
  std::int64_t left_;
};

/// Bytes of data from a cursor to an offset of the file.
inline std::int64_t bytes_before(file_cursor from, std::int64_t offset) {
  const std::int64_t all = from.left();
  while (from.left() > 0 && from.offset() < offset) from.advance(std::min(from.run_left(), offset - from.offset()));
  return all - from.left();
}

}  // namespace stretto::ranks
