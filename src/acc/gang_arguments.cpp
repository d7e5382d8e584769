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

/// The arguments that are copied: all values of a kernel in a queue, and pointers to memory of a device.
struct argument_copies {
  bool is_in_queue, is_on_device;

  std::size_t bytes_of(const stretto_acc_argument& one) const {
    const bool is_in_place = !is_in_queue && (one.way == stretto_acc_value || !is_on_device);
    return one.way == stretto_acc_address || is_in_place ? 0 : rounded(one.bytes);
  }
  std::size_t bytes_of(std::span<const stretto_acc_argument> all) const {
    std::size_t bytes = 0;
    for (const stretto_acc_argument& one : all) bytes += bytes_of(one);
    return bytes;
  }
};

}  // namespace

gang_arguments::gang_arguments(const stretto_acc_launch& launch, data_environment* data, queue_number queue,
                               data_work& into) {
  const std::span arguments(launch.arguments, static_cast<std::size_t>(launch.argument_count));
  const argument_copies copies{queue.has_value(), data != nullptr};
  if (arguments.size() > few_pointers_.size()) many_pointers_ = std::make_unique<void*[]>(arguments.size());
  pointers_ = {many_pointers_ ? many_pointers_.get() : few_pointers_.data(), arguments.size()};
  if (const std::size_t bytes = copies.bytes_of(arguments))
    values_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (data) on_device_.resize(arguments.size());
  std::byte* next = values_.get();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const stretto_acc_argument& one = arguments[i];
    const auto found = [&](std::byte* host) {
      if (!data) return host;
      const kernel_memory memory = one.way == stretto_acc_device_pointer
                                       ? kernel_memory{host, data->block_at(host)}
                                       : address_search{*data, queue, into}.find(host, one);
      on_device_[i] = {memory, one.way != stretto_acc_address};
      return memory.address;
    };
    auto* const host = static_cast<std::byte*>(one.host);
    const std::size_t bytes = copies.bytes_of(one);
    pointers_[i] = one.way == stretto_acc_address ? found(host) : bytes > 0 ? next : host;
    if (bytes == 0) continue;
    std::memcpy(next, host, one.bytes);
    if (one.way != stretto_acc_value) {
      std::byte* pointer = nullptr;
      std::memcpy(&pointer, host, sizeof pointer);
      pointer = found(pointer);
      std::memcpy(next, &pointer, sizeof pointer);
    }
    next += bytes;
  }
}

}  // namespace stretto::acc
