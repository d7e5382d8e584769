// cuda_launch.hpp - a launch as the driver wants it: blocks of threads, and arguments one behind the other.
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

/// How the blocks of a launch are counted. A grid's second and third axis hold 65535; where that is too few, all are counted
/// along the first.
enum class counting : std::uint8_t { by_axis, items_in_line, groups_in_line };

/// The axes of a device: its first is the program's last.
struct geometry {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  counting blocks = counting::by_axis;
};

/// Of a range that is not empty. None: more blocks than any launch can have. `most_items` bounds the blocks of plain kernels.
std::optional<geometry> geometry_of(const launch_range& range, bool in_groups, int most_items) noexcept;

/// The same; throws K44 where no launch can have that. Native code counts groups by axis, as it was launched.
geometry fitting(const device& on, const kernel_code& code, const launch_range& range, int most_items);

/// The arguments of a launch, and where each is; arrays at the driver's addresses.
class packed_arguments {
 public:
  packed_arguments(const kernel_code& code, const launch_range& range, std::span<const launch_argument> given,
                   std::uint64_t locks = 0);
  packed_arguments(const packed_arguments&) = delete;
  /// Of a checked launch, whose words are there: they come last, and arrays without elements lie among them. Once.
  void add(const checked_launch& checked, std::uint64_t words, const kernel_code& code, std::span<const launch_argument> given);

  void** pointers() noexcept { return pointers_.data(); }
  std::uint64_t local_bytes() const noexcept { return local_bytes_; }

 private:
  // As many as most kernels have take nothing from the heap.
  boost::container::small_vector<std::uint64_t, 9> words_;  // pointers to arrays, and places in the memory of a group
  boost::container::small_vector<array_layout, 8> layouts_;
  launch_layout whole_;
  boost::container::small_vector<void*, 18> pointers_;
  std::uint64_t local_bytes_ = 0;
};

}  // namespace stretto::device::cuda
