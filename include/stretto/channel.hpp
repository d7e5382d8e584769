// channel.hpp - a way to copy bytes between two kinds of memory: host to host, host to device, device to file.
//
// Threads     start may be called from any thread of the runtime. A copy_done is used on a thread of the runtime: a
//             worker, inside a poll, or an attached thread.
// Memory      what the copy wrote is visible to who waits for its event if it was written before succeed().
// Invariants  (1) each start that returns is followed by one succeed or fail, perhaps before it returns. (2) the bytes
//             of source and target are touched only between start and that.
// Source      Realm's direct memory access channels, one per pair of kinds of memory.
#pragma once

#include <stretto/place.hpp>

#include <cstddef>
#include <exception>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct copy_done_access;
}

/// Up to three dimensions of bytes: rows of bytes, rows in a plane, planes.
struct copy_extent {
  std::size_t row_bytes = 0, rows = 1, planes = 1;

  constexpr std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
};

/// One end of a copy: rows and planes lie `row_stride` and `plane_stride` bytes apart.
struct copy_end {
  place memory;                  // invalid: memory of the program, as the processor addresses it
  std::byte* address = nullptr;  // as the memory's own module counts
  std::size_t row_stride = 0, plane_stride = 0;
};

/// How a channel tells that a copy has ended. Move-only; destroyed unused, it fails the copy with M08.
class copy_done {
 public:
  copy_done() noexcept = default;
  copy_done(copy_done&& other) noexcept;
  copy_done& operator=(copy_done&& other) noexcept;
  ~copy_done();

  explicit operator bool() const noexcept { return copy_; }
  void succeed() noexcept;
  void fail(std::exception_ptr why) noexcept;

 private:
  friend struct detail::copy_done_access;
  void* copy_ = nullptr;
};

/// A way to copy bytes between two kinds of memory. Modules derive their own from it.
class channel {
 public:
  virtual ~channel() = default;

  /// Starts the copy and returns; `done`, moved away, is told when the target holds the bytes. What is thrown before
  /// that fails the copy.
  virtual void start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) = 0;

  /// Bytes per second of a large copy between these memories, and seconds before its first byte arrives: for choosing
  /// routes and sources. An unmeasured host copy counts as 10e9 and 100e-9. No bytes per second: between these two
  /// memories of its kinds the channel does not lead.
  virtual double bandwidth_bytes_per_second(place source, place target) const = 0;
  virtual double latency_seconds(place source, place target) const = 0;
};

}  // namespace stretto

STRETTO_API_END
