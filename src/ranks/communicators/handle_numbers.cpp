// handle_numbers.cpp - numbers in the order in which handles are first converted.
#include "ranks/communicators/handle_numbers.hpp"

#include <cstdint>

namespace stretto::ranks {

namespace {

constexpr int first_number = 4096;

}  // namespace

int handle_numbers::number_of(void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < first_number) return static_cast<int>(value);
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = numbers_.try_emplace(handle, first_number + static_cast<int>(handles_.size()));
  if (is_new) handles_.push_back(handle);
  return entry->second;
}

void* handle_numbers::handle_of(int number) const {
  if (number >= 0 && number < first_number) return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::int64_t>(number) - first_number;
  return index >= 0 && index < std::ssize(handles_) ? handles_[static_cast<std::size_t>(index)] : nullptr;
}

}  // namespace stretto::ranks
