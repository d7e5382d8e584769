// file_transfer.hpp - moves data between the bytes of a file that a view shows and elements in memory.
//
// Threads     one at a time; another thread may go on with it.
// Cost        a system call for each run of adjacent bytes of the file, or of memory where its runs are long. Short
//             runs of memory are collected, and short runs of the file are read with what lies between them.
// Errors      call_error, with the class of what the operating system reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ranks/datatypes/data_part.hpp"
#include "ranks/files/file_view.hpp"

namespace stretto::ranks {

enum class file_direction : std::uint8_t { read, write };

/// Whether a transfer may block its thread until a disk has read.
enum class disk_wait : std::uint8_t { allowed, refused };

/// A part of a view's data, and where it is in memory.
struct file_access {
  file_direction direction = file_direction::read;
  const file_view* view = nullptr;
  std::int64_t position = 0;  // bytes of the view's data
  data_part memory;

  std::int64_t bytes() const { return memory.bytes(); }
};

class file_transfer {
 public:
  file_transfer(int descriptor, const file_access& access);

  /// Transfers all that is left. False: it has stopped, since the rest would wait for a disk.
  bool go_on(disk_wait wait);
  /// So far; after a read less than asked for if the file ends before.
  std::int64_t bytes() const { return bytes_; }

 private:
  bool move_run(disk_wait wait);
  void write_block();
  bool read_block(disk_wait wait);
  file_cursor here() const { return {*access_.view, access_.position + bytes_, file_.left()}; }
  bool has_short_runs() const;

  const int descriptor_;
  const file_access access_;
  file_cursor file_;
  layout_cursor memory_;
  std::int64_t bytes_ = 0;
  bool is_at_end_ = false;  // of the file
  std::vector<std::byte> block_;
};

/// Reads until the end of the file; `done` grows. False: the next byte would wait for a disk.
bool read_bytes(int descriptor, std::byte* to, const file_run& run, std::int64_t& done, disk_wait wait);
void write_bytes(int descriptor, const std::byte* from, const file_run& run);

/// Copies `bytes` of data between memory and a block of a file that begins at `offset`; moves both cursors behind them.
void copy_from_block(layout_cursor& memory, file_cursor& file, const std::byte* block, std::int64_t offset,
                     std::int64_t bytes);
void copy_to_block(layout_cursor& memory, file_cursor& file, std::byte* block, std::int64_t offset, std::int64_t bytes);

}  // namespace stretto::ranks
