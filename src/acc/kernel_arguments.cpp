#include "acc/kernel_arguments.hpp"

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

std::byte* device_pointer(std::byte* host, const stretto_acc_argument& argument, data_environment& data) {
  if (!host) return nullptr;
  std::byte* const found = argument.part ? data.device_of(host, *argument.part) : data.device_of(host);
  if (found) return found;
  return data.is_on_device(host) ? host : address_of_nothing(host);
}

}  // namespace

kernel_arguments::kernel_arguments(const stretto_acc_launch& launch, data_environment* data) {
  const std::span arguments(launch.arguments, static_cast<std::size_t>(launch.argument_count));
  std::size_t bytes = 0;
  for (const stretto_acc_argument& one : arguments)
    if (one.way != stretto_acc_address) bytes += rounded(one.bytes);
  values_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  pointers_.reserve(arguments.size());
  std::byte* next = values_.get();
  for (const stretto_acc_argument& one : arguments) {
    auto* const host = static_cast<std::byte*>(one.host);
    if (one.way == stretto_acc_address) {
      pointers_.push_back(data ? device_pointer(host, one, *data) : host);
      continue;
    }
    std::memcpy(next, host, one.bytes);
    if (data && one.way == stretto_acc_pointer) {
      std::byte* pointer = nullptr;
      std::memcpy(&pointer, host, sizeof pointer);
      pointer = device_pointer(pointer, one, *data);
      std::memcpy(next, &pointer, sizeof pointer);
    }
    pointers_.push_back(next);
    next += rounded(one.bytes);
  }
}

}  // namespace stretto::acc
