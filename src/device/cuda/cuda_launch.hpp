// cuda_launch.hpp - converts a launch to CUDA's terms: grid and block dimensions, and an array of argument pointers.
//
// Threads     pure.
#pragma once

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <optional>
#include <span>

#include "device/checked_launch.hpp"
#include "device/device.hpp"
#include "device/kernel_text.hpp"

namespace stretto::device::cuda {

/// How the blocks of a launch are numbered. The second and third axes of a grid hold at most 65535 blocks. If that is
/// too few, all blocks are numbered along the first axis.
enum class counting : std::uint8_t { by_axis, items_in_line, groups_in_line };

/// Axes in the device's order: its first is the program's last.
struct geometry {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  counting blocks = counting::by_axis;
};

/// The geometry for a range that is not empty. Nothing if it needs more blocks than a launch can have. `most_items`
/// bounds the blocks of plain kernels.
std::optional<geometry> geometry_of(const launch_range& range, bool in_groups, int most_items) noexcept;

/// The same; throws K44 if no launch can have this range. Native code numbers groups by axis, as launched.
geometry fitting(const device& on, const kernel_code& code, const launch_range& range, int most_items);

/// The arguments of a launch and the pointers to them. Arrays are at the driver's addresses.
class packed_arguments {
 public:
  packed_arguments(const kernel_code& code, const launch_range& range, std::span<const launch_argument> given,
                   std::uint64_t locks = 0);
  packed_arguments(const packed_arguments&) = delete;
  /// Appends the words of a checked launch, which lie at device address `words`, as the last argument. Arrays without
  /// elements then point to the dummy element among them. Call once.
  void add(const checked_launch& checked, std::uint64_t words, const kernel_code& code,
           std::span<const launch_argument> given);

  void** pointers() noexcept { return pointers_.data(); }
  std::uint64_t local_bytes() const noexcept { return local_bytes_; }

 private:
  // The inline capacities suffice for most kernels, without a heap allocation.
  boost::container::small_vector<std::uint64_t, 9> words_;  // pointers to arrays, and offsets into group memory
  boost::container::small_vector<array_layout, 8> layouts_;
  launch_layout whole_;
  boost::container::small_vector<void*, 18> pointers_;
  std::uint64_t local_bytes_ = 0;
};

}  // namespace stretto::device::cuda
