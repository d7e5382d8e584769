#include "acc/gang_arguments.hpp"

#include <cstdint>
#include <cstring>
#include <span>

namespace stretto::acc {
namespace {

/// Each value begins where any type may.
std::size_t rounded(std::size_t bytes) {
  return (bytes + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
}

/// An address that no program has: a kernel that uses it crashes at the line that does.
std::byte* address_of_nothing(const std::byte* host) {
  constexpr std::uintptr_t not_canonical = 0x0acc'0000'0000'0000, low = 0x0000'ffff'ffff'ffff;
  return reinterpret_cast<std::byte*>(not_canonical | (reinterpret_cast<std::uintptr_t>(host) & low));
}

/// Finds addresses on the device for a kernel in a queue.
struct address_search {
  data_environment& data;
  queue_number queue;
  data_work& into;

  kernel_memory find(std::byte* host, const stretto_acc_argument& argument) const {
    if (!host) return {};
    if (const kernel_memory found = data.used_by_kernel(host, argument.part, queue, into); found.address) return found;
    if (const byte_range block = data.block_at(host); block.bytes > 0) return {host, block};
    return {address_of_nothing(host), {}};
  }
};

}  // namespace

gang_arguments::gang_arguments(const stretto_acc_launch& launch, data_environment* data, queue_number queue,
                               data_work& into) {
  const std::span arguments(launch.arguments, static_cast<std::size_t>(launch.argument_count));
  std::size_t bytes = 0;
  for (const stretto_acc_argument& one : arguments)
    if (one.way != stretto_acc_address) bytes += rounded(one.bytes);
  values_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  pointers_.reserve(arguments.size());
  on_device_.resize(arguments.size());
  std::byte* next = values_.get();
  const auto found = [&](std::byte* host, const stretto_acc_argument& one) {
    kernel_memory memory{host, {}};
    if (data && one.way == stretto_acc_device_pointer) memory.block = data->block_at(host);
    else if (data) memory = address_search{*data, queue, into}.find(host, one);
    on_device_[pointers_.size()] = {memory, one.way != stretto_acc_address};
    return memory.address;
  };
  for (const stretto_acc_argument& one : arguments) {
    auto* const host = static_cast<std::byte*>(one.host);
    if (one.way == stretto_acc_address) {
      pointers_.push_back(found(host, one));
      continue;
    }
    std::memcpy(next, host, one.bytes);
    if (one.way != stretto_acc_value) {
      std::byte* pointer = nullptr;
      std::memcpy(&pointer, host, sizeof pointer);
      pointer = found(pointer, one);
      std::memcpy(next, &pointer, sizeof pointer);
    }
    pointers_.push_back(next);
    next += rounded(one.bytes);
  }
}

}  // namespace stretto::acc
