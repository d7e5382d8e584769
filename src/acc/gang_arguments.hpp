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

/// Copies what the program may change after its call.
class gang_arguments {
 public:
  /// Null `data`: the kernel uses the memory of the host.
  ///   into   gets what has to end ahead of the kernel
  gang_arguments(const stretto_acc_launch& launch, data_environment* data, queue_number queue, data_work& into);

  void** pointers() noexcept { return pointers_.data(); }

 private:
  std::unique_ptr<std::byte[]> values_;
  std::vector<void*> pointers_;  // to a value, or to memory of the device
};

}  // namespace stretto::acc
