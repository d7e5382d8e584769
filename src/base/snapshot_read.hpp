// snapshot_read.hpp - reads memory that other threads may change or free meanwhile: for reports about a live runtime.
//
// The kernel copies the memory: a stale pointer yields nothing instead of a crash, and sanitizers see no race. The
// result is a guess, unless the caller proves afterwards that nothing ran meanwhile.
//
// Threads     any.
// Cost        one system call per read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>

namespace stretto::base {

/// False if some of it cannot be read, or the system forbids it.
bool snapshot_read(const void* from, void* into, std::size_t bytes) noexcept;

/// A bytewise copy of a T, without constructor and destructor. Empty for a pointer that is not aligned: it is stale.
template <class T>
class snapshot_copy {
 public:
  explicit snapshot_copy(const void* from) noexcept
      : valid_(reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0 && snapshot_read(from, bytes_, sizeof(T))) {}
  explicit operator bool() const noexcept { return valid_; }
  const T& operator*() const noexcept { return *reinterpret_cast<const T*>(bytes_); }
  const T* operator->() const noexcept { return reinterpret_cast<const T*>(bytes_); }

 private:
  alignas(T) std::byte bytes_[sizeof(T)];
  bool valid_;
};

/// At most `most` characters of a text that ends with 0.
std::string snapshot_text(const char* from, std::size_t most = 80);
/// As short_location(*from); empty if it cannot be read.
std::string snapshot_location(const std::source_location* from);

}  // namespace stretto::base
