// host_work.hpp - runs a kernel's host function over a part of a launch; shared by the simulated device and the host.
//
// Threads     several threads may run parts of one launch, each with its own group_memory.
// Cost        the kernel's own; for kernels in groups also a copy of the argument descriptions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/argument_copy.hpp"
#include "device/device.hpp"
#include "device/index_checks.hpp"

namespace stretto::device {

/// Selects the host function for this work. The one for wide vectors is used if the processor has them and no written
/// array overlaps another argument: loads need not wait for stores then.
kernel_code::host_function function_for(const kernel_code& code, const kernel_work& work,
                                        const kernel_argument* arguments, index_checks check) noexcept;
/// Runs the selected function.
void run_on_host(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments,
                 index_checks check);

/// Memory of a group on the host for local_array and for per_item, in addition to its local parameters. It exceeds
///        what devices have for local_array, and holds as much per item as their registers do.
inline constexpr std::size_t group_scratch_bytes = 256 << 10, item_scratch_bytes = 1 << 10;

/// Scratch memory that one thread reuses for the groups that it runs; allocating it costs more than a small group.
class group_memory {
 public:
  /// At least that many bytes, with undefined contents.
  std::byte* of(std::size_t bytes) {
    if (bytes > bytes_) memory_ = line_memory::allocate(bytes), bytes_ = bytes;
    return memory_.get();
  }

 private:
  line_memory::block memory_;
  std::size_t bytes_ = 0;
};

/// Runs the groups or items [min, max) of a launch and sets up their group memory. A trial run records accesses in
/// `shadow`.
void run_part(const kernel_code& code, std::span<const kernel_argument> arguments, const launch_range& whole,
              const std::int64_t* min, const std::int64_t* max, index_checks check, group_memory& memory,
              shadow_memory* shadow = nullptr);

/// Distance in bytes from a device address to the address at which the host accesses it; null: none.
using distance_of_address = std::function<std::ptrdiff_t(const std::byte*)>;

/// The arguments of a launch as the host function takes them. Values are not copied.
class host_arguments {
 public:
  host_arguments(const kernel_code& code, std::span<const launch_argument> given,
                 const distance_of_address& moved = {});

  /// Runs the groups or items [min, max) of the launch. `memory` belongs to the calling thread.
  void run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max, index_checks check,
           group_memory& memory) const;
  const std::vector<kernel_argument>& all() const noexcept { return arguments_; }

 protected:
  const kernel_code& code_;
  std::vector<kernel_argument> arguments_;
};

/// The same with copied values, for a launch that runs later.
class copied_arguments : public host_arguments {
 public:
  copied_arguments(const kernel_code& code, std::span<const launch_argument> given,
                   const distance_of_address& moved = {});
  copied_arguments(const copied_arguments&) = delete;
  ~copied_arguments();

 private:
  const argument_copy values_;
};

/// Copies rows in memory that the host can access; fills rows with a pattern.
void copy_rows(std::byte* to, std::size_t to_row, std::size_t to_plane, const std::byte* from, std::size_t from_row,
               std::size_t from_plane, places::copy_shape shape) noexcept;
void fill_rows(std::byte* to, std::size_t row, std::size_t plane, places::copy_shape shape,
               std::span<const std::byte> pattern) noexcept;

}  // namespace stretto::device
