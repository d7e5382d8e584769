// host_work.hpp - running a kernel's host function over a part of a launch: what sim and host have in common.
//
// Threads     several threads may run parts of one launch; each brings its own scratch memory.
// Cost        the kernel's own, and a copy of the arguments' descriptions.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

enum class checking : std::uint8_t { off, on };

/// The arguments of a launch, kept until it has run: values are copied, arrays are moved by a distance in bytes where the
/// host sees the device's memory elsewhere.
class kept_arguments {
 public:
  kept_arguments(const kernel_code& code, std::span<const launch_argument> given, std::ptrdiff_t distance);

  /// Runs the groups or items [min, max) of the launch.
  void run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max, checking check,
           std::uint64_t order = 0) const;

 private:
  const kernel_code& code_;
  std::vector<kernel_argument> arguments_;
  std::vector<std::byte> values_;
  std::size_t local_bytes_ = 0;
};

/// Memory that a group of the host has for local_array and per_item, beside its local parameters.
inline constexpr std::size_t group_scratch_bytes = 256 << 10;

/// Copies rows in memory that the host sees; fills them with a pattern.
void copy_rows(std::byte* to, std::size_t to_row, std::size_t to_plane, const std::byte* from, std::size_t from_row,
               std::size_t from_plane, places::copy_shape shape) noexcept;
void fill_rows(std::byte* to, std::size_t row, std::size_t plane, places::copy_shape shape,
               std::span<const std::byte> pattern) noexcept;

}  // namespace stretto::device
