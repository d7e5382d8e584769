// host_elements.hpp - elements of a datatype where the host can access them.
//
// Threads     the caller's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// Memory of the host for some elements; up to 1 KiB without the heap.
class value_memory {
 public:
  /// The address that is the elements' for MPI. Once for each object.
  std::byte* make(std::int64_t count, const datatype& type) {
    const std::int64_t all_but_one = (count - 1) * type.extent();
    const std::int64_t lowest = type.bounds().true_lb + std::min<std::int64_t>(all_but_one, 0);
    const auto bytes = static_cast<std::size_t>(type.true_extent() + std::abs(all_but_one));
    if (bytes <= sizeof few_) return few_ - lowest;
    more_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    return more_.get() - lowest;
  }

 private:
  alignas(64) std::byte few_[1024];
  std::unique_ptr<std::byte[]> more_;
};

/// The program's elements, or a copy of them if they are in the memory of a device.
class host_elements {
 public:
  host_elements(const void* elements, std::int64_t count, const datatype& type);
  void* address() const { return on_host_ ? on_host_ : elements_; }
  /// To the device, where the elements are there.
  void write_back();

 private:
  void* const elements_;
  const std::int64_t count_;
  const datatype& type_;
  std::byte* on_host_ = nullptr;
  value_memory memory_;
};

}  // namespace stretto::ranks
