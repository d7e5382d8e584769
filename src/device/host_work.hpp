// host_work.hpp - running a kernel's host function over a part of a launch: what sim and host have in common.
//
// Threads     several threads may run parts of one launch; each brings its own group_memory.
// Cost        the kernel's own; of groups, a copy of the arguments' descriptions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/argument_copy.hpp"
#include "device/device.hpp"
#include "device/index_checks.hpp"

namespace stretto::device {

/// Which of a kernel's host functions computes this work: that for wide vectors where the processor has them, if nothing that is
/// written lies in what another argument names, for then loads need not wait for stores.
kernel_code::host_function function_for(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments,
                                        index_checks check) noexcept;
/// Computes it.
void run_on_host(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments, index_checks check);

/// Memory that a group of the host has for local_array and per_item, beside its local parameters: more than devices have for the one, and
/// as much as their registers hold for the other, in groups of any size.
inline constexpr std::size_t group_scratch_bytes = 256 << 10, item_scratch_bytes = 1 << 10;

/// The memory of the groups that one thread runs, one after the other: kept, since getting it costs more than a small group.
class group_memory {
 public:
  /// At least so many bytes; what they hold is not defined.
  std::byte* of(std::size_t bytes) {
    if (bytes > bytes_) memory_ = line_memory::allocate(bytes), bytes_ = bytes;
    return memory_.get();
  }

 private:
  line_memory::block memory_;
  std::size_t bytes_ = 0;
};

/// Runs the groups or items [min, max) of a launch, whose memory of groups this sets up. A trial run notes uses in `shadow`.
void run_part(const kernel_code& code, std::span<const kernel_argument> arguments, const launch_range& whole, const std::int64_t* min,
              const std::int64_t* max, index_checks check, group_memory& memory, shadow_memory* shadow = nullptr);

/// How far from its address the host sees memory of a device, in bytes; null: where it says.
using distance_of_address = std::function<std::ptrdiff_t(const std::byte*)>;

/// The arguments of a launch as the host's function takes them. Values stay where they are.
class host_arguments {
 public:
  host_arguments(const kernel_code& code, std::span<const launch_argument> given, const distance_of_address& moved = {});

  /// Runs the groups or items [min, max) of the launch; `memory` is the calling thread's.
  void run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max, index_checks check, group_memory& memory) const;
  const std::vector<kernel_argument>& all() const noexcept { return arguments_; }

 protected:
  const kernel_code& code_;
  std::vector<kernel_argument> arguments_;
};

/// The same, with the values copied: for a launch that runs later.
class copied_arguments : public host_arguments {
 public:
  copied_arguments(const kernel_code& code, std::span<const launch_argument> given, const distance_of_address& moved = {});
  copied_arguments(const copied_arguments&) = delete;
  ~copied_arguments();

 private:
  const argument_copy values_;
};

/// Copies rows in memory that the host sees; fills them with a pattern.
void copy_rows(std::byte* to, std::size_t to_row, std::size_t to_plane, const std::byte* from, std::size_t from_row,
               std::size_t from_plane, places::copy_shape shape) noexcept;
void fill_rows(std::byte* to, std::size_t row, std::size_t plane, places::copy_shape shape,
               std::span<const std::byte> pattern) noexcept;

}  // namespace stretto::device
