// gang_arguments.hpp - the arguments of a launch as its kernel takes them, with addresses of the device.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "acc/data_environment.hpp"
#include "acc/program_structures.hpp"

namespace stretto::acc {

/// An address of the device; without a block it is none.
struct device_argument : kernel_memory {
  bool is_pointer = false;  // the argument is a pointer, and not the memory itself
};

/// Copies what the program may change after its call.
class gang_arguments {
 public:
  /// Null `data`: the kernel uses the memory of the host.
  ///   into   gets what has to end ahead of the kernel
  gang_arguments(const stretto_acc_launch& launch, data_environment* data, queue_number queue, data_work& into);

  /// For kernels in the address space of the host: to a value, or to memory.
  void** pointers() noexcept { return pointers_.data(); }
  std::size_t size() const noexcept { return pointers_.size(); }
  /// Of an argument that is an address or a pointer, by its index.
  const device_argument& on_device(std::size_t index) const { return on_device_[index]; }
  const std::byte* value(std::size_t index) const { return static_cast<const std::byte*>(pointers_[index]); }

 private:
  std::unique_ptr<std::byte[]> values_;
  std::vector<void*> pointers_;
  std::vector<device_argument> on_device_;
};

}  // namespace stretto::acc
