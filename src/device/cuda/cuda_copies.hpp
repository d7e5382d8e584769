// cuda_copies.hpp - maps copies and fills of rows to the driver's one-, two- and three-dimensional calls.
//
// Threads     pure, except for enqueuing into the caller's stream, whose context must be current.
// Cost        one driver call if the distances allow it; otherwise one per plane or row.
#pragma once

#include <cstddef>
#include <span>

#include "device/cuda/cuda_driver.hpp"
#include "device/device.hpp"

namespace stretto::device::cuda {

/// One end of a copy: its address, and the context of the device memory it lies in; no context: host memory.
struct located {
  std::byte* address = nullptr;
  CUcontext context = nullptr;
};

/// The same bytes with as few axes as possible: rows without gaps become one row.
struct flat_rows {
  std::size_t width = 0, rows = 1, planes = 1;
  std::size_t source_row = 0, source_plane = 0, target_row = 0, target_plane = 0;
};
flat_rows flatten(const copy_end& source, const copy_end& target, places::copy_shape shape) noexcept;

/// Enqueues a copy; throws `refused`.
void enqueue_copy(const driver& d, CUstream stream, located source, located target, const flat_rows& rows);

/// Enqueues a fill with a pattern of 1, 2 or 4 bytes. False if the driver has no call for it: for other pattern
/// sizes, or rows that are no multiple of the pattern. Throws `refused`.
bool enqueue_fill(const driver& d, CUstream stream, std::byte* target, const flat_rows& rows,
                  std::span<const std::byte> pattern);

}  // namespace stretto::device::cuda
