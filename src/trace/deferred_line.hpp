// deferred_line.hpp - source lines of calls that are found when the trace is written: that runs addr2line.
//
// Threads     pure.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace stretto::trace {

inline constexpr std::string_view deferred_line_mark = "call at ";

/// The file of a name (name_table::intern) that stands for the line of the call which returns to this address. The code
/// must stay loaded until the last snapshot has been written.
inline std::string deferred_line(const void* return_address) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, reinterpret_cast<std::uintptr_t>(return_address), 16);
  return std::string(deferred_line_mark).append(digits, end.ptr);
}

/// The address in such a file; null if it is another one.
inline const void* deferred_call(std::string_view file) {
  if (!file.starts_with(deferred_line_mark)) return nullptr;
  std::uintptr_t address = 0;
  std::from_chars(file.data() + deferred_line_mark.size(), file.data() + file.size(), address, 16);
  return reinterpret_cast<const void*>(address);
}

}  // namespace stretto::trace
