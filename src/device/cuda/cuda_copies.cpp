#include "device/cuda/cuda_copies.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::device::cuda {

namespace {

CUdeviceptr device_pointer(const std::byte* p) noexcept { return reinterpret_cast<std::uintptr_t>(p); }

void copy_linear(const api& cu, CUstream s, located from, located to, std::size_t bytes) {
  if (!from.context)
    need(cu.cuMemcpyHtoDAsync(device_pointer(to.address), from.address, bytes, s), "cuMemcpyHtoDAsync");
  else if (!to.context)
    need(cu.cuMemcpyDtoHAsync(to.address, device_pointer(from.address), bytes, s), "cuMemcpyDtoHAsync");
  else if (from.context == to.context)
    need(cu.cuMemcpyDtoDAsync(device_pointer(to.address), device_pointer(from.address), bytes, s), "cuMemcpyDtoDAsync");
  else
    need(cu.cuMemcpyPeerAsync(device_pointer(to.address), to.context, device_pointer(from.address), from.context, bytes,
                              s),
         "cuMemcpyPeerAsync");
}

/// Fills in the memories and addresses of both ends; the driver's descriptions have the same fields.
template <class Description>
void set_ends(Description& c, located from, located to) {
  c.srcMemoryType = from.context ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  c.dstMemoryType = to.context ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
  if (from.context) c.srcDevice = device_pointer(from.address);
  else c.srcHost = from.address;
  if (to.context) c.dstDevice = device_pointer(to.address);
  else c.dstHost = to.address;
}

void copy_2d(const api& cu, CUstream s, located from, located to, const flat_rows& r) {
  CUDA_MEMCPY2D c;
  set_ends(c, from, to);
  c.srcPitch = r.source_row, c.dstPitch = r.target_row;
  c.WidthInBytes = r.width, c.Height = r.rows;
  need(cu.cuMemcpy2DAsync(&c, s), "cuMemcpy2DAsync");
}

void copy_3d(const api& cu, CUstream s, located from, located to, const flat_rows& r) {
  CUDA_MEMCPY3D_PEER c;
  set_ends(c, from, to);
  c.srcPitch = r.source_row, c.srcHeight = r.planes > 1 ? r.source_plane / r.source_row : r.rows;
  c.dstPitch = r.target_row, c.dstHeight = r.planes > 1 ? r.target_plane / r.target_row : r.rows;
  c.WidthInBytes = r.width, c.Height = r.rows, c.Depth = r.planes;
  if (from.context && to.context && from.context != to.context) {
    c.srcContext = from.context, c.dstContext = to.context;
    need(cu.cuMemcpy3DPeerAsync(&c, s), "cuMemcpy3DPeerAsync");
  } else {
    need(cu.cuMemcpy3DAsync(&c, s), "cuMemcpy3DAsync");
  }
}

/// The shortest pattern that repeats to the same bytes.
std::span<const std::byte> shortest_pattern(std::span<const std::byte> pattern) noexcept {
  while (pattern.size() > 1) {
    const std::size_t half = pattern.size() / 2;
    if (std::memcmp(pattern.data(), pattern.data() + half, half) != 0) break;
    pattern = pattern.first(half);
  }
  return pattern;
}

}  // namespace

flat_rows flatten(const copy_end& source, const copy_end& target, places::copy_shape shape) noexcept {
  flat_rows r{shape.row_bytes,     shape.rows,        shape.planes,       source.row_stride,
              source.plane_stride, target.row_stride, target.plane_stride};
  const auto planes_become_rows = [&] {
    r.rows = r.planes, r.planes = 1;
    r.source_row = r.source_plane, r.target_row = r.target_plane;
  };
  const auto rows_join = [&] { return r.rows > 1 && r.source_row == r.width && r.target_row == r.width; };
  if (r.rows == 1) planes_become_rows();
  for (int axis = 0; axis < 2 && rows_join(); ++axis) {
    r.width *= r.rows;
    planes_become_rows();
  }
  if (r.planes > 1 && r.source_plane == r.rows * r.source_row && r.target_plane == r.rows * r.target_row) {
    r.rows *= r.planes;
    r.planes = 1;
  }
  return r;
}

void enqueue_copy(const driver& d, CUstream stream, located source, located target, const flat_rows& r) {
  if (r.width == 0 || r.rows == 0 || r.planes == 0) return;
  if (r.rows == 1 && r.planes == 1) return copy_linear(*d.cu, stream, source, target, r.width);
  const auto most = static_cast<std::size_t>(d.most_pitch);
  const bool pitches_fit =
      std::min(r.source_row, r.target_row) >= r.width && std::max(r.source_row, r.target_row) <= most;
  const auto planes_fit = [&](std::size_t row, std::size_t plane) { return plane % row == 0 && plane / row >= r.rows; };
  const bool fits =
      pitches_fit &&
      (r.planes == 1 || (planes_fit(r.source_row, r.source_plane) && planes_fit(r.target_row, r.target_plane)));
  if (!fits) {
    // No driver call copies rows that overlap or lie far apart: copy plane by plane, or row by row.
    flat_rows part = r;
    const bool by_plane = r.planes > 1;
    (by_plane ? part.planes : part.rows) = 1;
    for (std::size_t i = 0; i < (by_plane ? r.planes : r.rows); ++i) {
      enqueue_copy(d, stream, source, target, part);
      source.address += by_plane ? r.source_plane : r.source_row;
      target.address += by_plane ? r.target_plane : r.target_row;
    }
    return;
  }
  const bool between_devices = source.context && target.context && source.context != target.context;
  if (r.planes == 1 && !between_devices) copy_2d(*d.cu, stream, source, target, r);
  else copy_3d(*d.cu, stream, source, target, r);
}

bool enqueue_fill(const driver& d, CUstream stream, std::byte* target, const flat_rows& r,
                  std::span<const std::byte> given) {
  const std::span<const std::byte> pattern = shortest_pattern(given);
  const std::size_t unit = pattern.size();
  const std::size_t distances = reinterpret_cast<std::uintptr_t>(target) | r.width | (r.rows > 1 ? r.target_row : 0) |
                                (r.planes > 1 ? r.target_plane : 0);
  if (unit > 4 || distances % unit != 0) return false;
  if (r.rows > 1 && r.target_row > static_cast<std::size_t>(d.most_pitch)) return false;
  if (r.width == 0) return true;
  std::uint32_t value = 0;
  std::memcpy(&value, pattern.data(), unit);
  const api& cu = *d.cu;
  for (std::size_t p = 0; p < r.planes && r.rows; ++p) {
    const CUdeviceptr at = device_pointer(target) + p * r.target_plane;
    const std::size_t count = r.width / unit;
    const auto byte = static_cast<unsigned char>(value);
    const auto half = static_cast<unsigned short>(value);
    if (r.rows == 1)
      need(unit == 1   ? cu.cuMemsetD8Async(at, byte, count, stream)
           : unit == 2 ? cu.cuMemsetD16Async(at, half, count, stream)
                       : cu.cuMemsetD32Async(at, value, count, stream),
           "cuMemsetAsync");
    else
      need(unit == 1   ? cu.cuMemsetD2D8Async(at, r.target_row, byte, count, r.rows, stream)
           : unit == 2 ? cu.cuMemsetD2D16Async(at, r.target_row, half, count, r.rows, stream)
                       : cu.cuMemsetD2D32Async(at, r.target_row, value, count, r.rows, stream),
           "cuMemsetD2DAsync");
  }
  return true;
}

}  // namespace stretto::device::cuda
