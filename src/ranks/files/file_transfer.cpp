// file_transfer.cpp - which bytes each system call reads or writes.
#include "ranks/files/file_transfer.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "ranks/datatypes/device_copies.hpp"
#include "ranks/files/posix_errors.hpp"

namespace stretto::ranks {
namespace {

/// Runs of memory from this length on get system calls of their own.
constexpr std::int64_t long_run = 16 << 10;
/// Shorter ones are collected in a block, and so are short runs of files that are read.
constexpr std::int64_t block_bytes = 512 << 10;
/// One system call transfers at most so many bytes.
constexpr std::int64_t largest_call = 1 << 30;

std::string text_of(const char* what, const file_run& run) {
  return std::string(what) + " of " + std::to_string(run.bytes) + " bytes at byte " + std::to_string(run.offset);
}

/// Fails with EAGAIN rather than wait where that is refused and the file system can do so.
ssize_t read_some(int descriptor, const iovec& to, std::int64_t offset, disk_wait wait) {
  if (wait == disk_wait::allowed) return ::pread(descriptor, to.iov_base, to.iov_len, offset);
  const ssize_t got = ::preadv2(descriptor, &to, 1, offset, RWF_NOWAIT);
  if (got < 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) errno = EAGAIN;
  return got;
}

/// A part of a file that is read at once, and how many bytes of data are in it.
struct readable_part {
  file_run whole;
  std::int64_t bytes = 0;
};

/// Runs from the first byte to the last one that a block can have, without a long gap and in the order of the file.
readable_part close_runs(file_cursor from) {
  readable_part part{{from.offset(), 0}, 0};
  file_run& whole = part.whole;
  const std::int64_t limit = whole.offset + block_bytes;
  while (from.left() > 0 && from.offset() >= whole.offset && from.offset() - whole.end() < long_run) {
    const std::int64_t run = std::min(from.run_left(), limit - from.offset());
    if (run <= 0) break;
    whole.bytes = std::max(whole.bytes, from.offset() + run - whole.offset);
    part.bytes += run;
    from.advance(run);
  }
  return part;
}

}  // namespace

bool read_bytes(int descriptor, std::byte* to, const file_run& run, std::int64_t& done, disk_wait wait) {
  while (done < run.bytes) {
    const iovec rest{to + done, static_cast<std::size_t>(std::min(run.bytes - done, largest_call))};
    const ssize_t got = read_some(descriptor, rest, run.offset + done, wait);
    if (got == 0) return true;
    if (got > 0) {
      done += got;
      continue;
    }
    if (errno == EAGAIN && wait == disk_wait::refused) return false;
    if (errno != EINTR) throw_file_error(errno, text_of("read", run));
  }
  return true;
}

void write_bytes(int descriptor, const std::byte* from, const file_run& run) {
  for (std::int64_t done = 0; done < run.bytes;) {
    const auto bytes = static_cast<std::size_t>(std::min(run.bytes - done, largest_call));
    const ssize_t written = ::pwrite(descriptor, from + done, bytes, run.offset + done);
    if (written >= 0) done += written;
    else if (errno != EINTR) throw_file_error(errno, text_of("write", run));
  }
}

void copy_from_block(layout_cursor& memory, file_cursor& file, const std::byte* block, std::int64_t offset,
                     std::int64_t bytes) {
  while (bytes > 0) {
    const std::int64_t run = std::min({bytes, file.run_left(), memory.run_left()});
    copy_anywhere(memory.address(), block + (file.offset() - offset), run);
    memory.advance(run);
    file.advance(run);
    bytes -= run;
  }
}

void copy_to_block(layout_cursor& memory, file_cursor& file, std::byte* block, std::int64_t offset,
                   std::int64_t bytes) {
  while (bytes > 0) {
    const std::int64_t run = std::min({bytes, file.run_left(), memory.run_left()});
    copy_anywhere(block + (file.offset() - offset), memory.address(), run);
    memory.advance(run);
    file.advance(run);
    bytes -= run;
  }
}

file_transfer::file_transfer(int descriptor, const file_access& access)
    : descriptor_(descriptor),
      access_(access),
      file_(*access.view, access.position, access.bytes()),
      memory_(access.memory.cursor(0)) {}

bool file_transfer::go_on(disk_wait wait) {
  while (file_.left() > 0 && !is_at_end_) {
    if (!has_short_runs()) {
      if (!move_run(wait)) return false;
    } else if (access_.direction == file_direction::write) {
      write_block();
    } else if (!read_block(wait)) {
      return false;
    }
  }
  return true;
}

/// Of memory, or of a file that is read: a file that is written keeps what lies between runs. The memory of a device is
/// always reached by a block.
bool file_transfer::has_short_runs() const {
  if (device_memory_at(memory_.address())) return true;
  const std::int64_t of_file = file_.run_left();
  if (access_.direction == file_direction::read && of_file < std::min(long_run, file_.left())) return true;
  return memory_.run_left() < std::min(long_run, of_file);
}

/// Bytes that are adjacent in memory as well.
bool file_transfer::move_run(disk_wait wait) {
  const file_run run{file_.offset(), std::min({file_.run_left(), memory_.run_left(), largest_call})};
  std::int64_t done = run.bytes;
  bool has_ended = true;
  if (access_.direction == file_direction::write) {
    write_bytes(descriptor_, memory_.address(), run);
  } else {
    has_ended = read_bytes(descriptor_, memory_.address(), run, done = 0, wait);
    is_at_end_ = has_ended && done < run.bytes;
  }
  bytes_ += done;
  file_.advance(done);
  memory_.advance(done);
  return has_ended;
}

/// Collects what is adjacent in the file.
void file_transfer::write_block() {
  block_.resize(static_cast<std::size_t>(std::min(block_bytes, access_.bytes())));
  const file_run run = here().take(std::ssize(block_));
  copy_to_block(memory_, file_, block_.data(), run.offset, run.bytes);
  write_bytes(descriptor_, block_.data(), run);
  bytes_ += run.bytes;
}

/// With the bytes between the runs. A block of which a part would wait for a disk is read again later.
bool file_transfer::read_block(disk_wait wait) {
  const auto [whole, most] = close_runs(here());
  block_.resize(static_cast<std::size_t>(whole.bytes));
  std::int64_t done = 0;
  if (!read_bytes(descriptor_, block_.data(), whole, done, wait)) return false;
  const std::int64_t bytes = bytes_before({*access_.view, access_.position + bytes_, most}, whole.offset + done);
  copy_from_block(memory_, file_, block_.data(), whole.offset, bytes);
  bytes_ += bytes;
  is_at_end_ = done < whole.bytes;
  return true;
}

}  // namespace stretto::ranks
