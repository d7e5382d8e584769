// cuda_copies.hpp - rows of bytes as the driver's calls want them: in a line, in a plane, in a box.
//
// Threads     pure, but for what is enqueued into the caller's stream; its context is current.
// Cost        one call of the driver where distances allow it; otherwise one per plane or row.
#pragma once

#include <cstddef>
#include <span>

#include "device/cuda/cuda_driver.hpp"
#include "device/device.hpp"

namespace stretto::device::cuda {

/// One end of a copy: where it is, and in the memory of which context; none: the host's.
struct located {
  std::byte* address = nullptr;
  CUcontext context = nullptr;
};

/// The same bytes with as few axes as distances allow: rows without gaps are one row.
struct flat_rows {
  std::size_t width = 0, rows = 1, planes = 1;
  std::size_t source_row = 0, source_plane = 0, target_row = 0, target_plane = 0;
};
flat_rows flatten(const copy_end& source, const copy_end& target, places::copy_shape shape) noexcept;

/// Enqueues a copy; throws `refused`.
void enqueue_copy(const driver& d, CUstream stream, located source, located target, const flat_rows& rows);

/// Enqueues a fill with a pattern of 1, 2 or 4 bytes; false where the driver has no call for it: another pattern, or rows that
/// do not hold it a whole number of times. Throws `refused`.
bool enqueue_fill(const driver& d, CUstream stream, std::byte* target, const flat_rows& rows,
                  std::span<const std::byte> pattern);

}  // namespace stretto::device::cuda
