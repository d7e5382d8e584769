// gang_arguments.hpp - the arguments of a launch as its kernel takes them, with addresses of the device.
//
// Threads     values.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "acc/data_environment.hpp"
#include "acc/program_structures.hpp"

namespace stretto::acc {

/// An address of the device; without a block it is none.
struct device_argument : kernel_memory {
  bool is_pointer = false;  // the argument is a pointer, and not the memory itself
};

/// For a kernel in a queue it copies what the program may change after its call. Other kernels read values in place,
/// since the program waits for them: without a device there is no allocation then, but for many arguments.
class gang_arguments {
 public:
  /// Null `data`: the kernel uses the memory of the host, and no argument is on a device.
  ///   into   gets what has to end ahead of the kernel
  gang_arguments(const stretto_acc_launch& launch, data_environment* data, queue_number queue, data_work& into);
  gang_arguments(const gang_arguments&) = delete;
  gang_arguments& operator=(const gang_arguments&) = delete;

  /// For kernels in the address space of the host: to a value, or to memory.
  void** pointers() const noexcept { return pointers_.data(); }
  std::size_t size() const noexcept { return pointers_.size(); }
  /// Of an argument that is an address or a pointer, by its index.
  const device_argument& on_device(std::size_t index) const { return on_device_[index]; }
  const std::byte* value(std::size_t index) const { return static_cast<const std::byte*>(pointers_[index]); }

 private:
  std::span<void*> pointers_;
  std::array<void*, 12> few_pointers_;
  std::unique_ptr<void*[]> many_pointers_;
  std::unique_ptr<std::byte[]> values_;
  std::vector<device_argument> on_device_;
};

}  // namespace stretto::acc
