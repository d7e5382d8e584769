// channel.hpp - a way to copy bytes between two kinds of memory: host to host, host to device, device to file.
//
// Threads     start may be called from any thread; done runs on any thread.
// Invariants  (1) done runs exactly once for each start that returns. (2) the bytes of source and target are touched
//             only between start and done.
// Source      Realm's direct memory access channels, one per pair of kinds of memory.
#pragma once

#include <stretto/place.hpp>

#include <cstddef>

#include "platform/work_item.hpp"

namespace stretto::places {

/// Up to three dimensions of bytes: rows of bytes, rows in a plane, planes; strides in bytes between rows and planes.
struct copy_shape {
  std::size_t row_bytes = 0, rows = 1, planes = 1;

  constexpr std::size_t bytes() const { return row_bytes * rows * planes; }
};

struct copy_end {
  place memory;
  std::byte* address = nullptr;  // as the memory's own device counts
  std::size_t row_stride = 0, plane_stride = 0;
};

class channel {
 public:
  virtual ~channel() = default;

  /// Copies from source to target, now; `done` runs when the target holds the bytes, perhaps before this returns.
  /// Throws, with `done` never run, if the copy cannot be started.
  virtual void start(const copy_end& source, const copy_end& target, copy_shape shape,
                     completion& done) = 0;

  /// Bytes per second that a large copy between these memories would run at: for choosing routes and sources.
  virtual double bandwidth_bytes_per_second(place source, place target) const = 0;

  /// Seconds before the first byte of a copy arrives.
  virtual double latency_seconds(place source, place target) const = 0;
};

}  // namespace stretto::places
