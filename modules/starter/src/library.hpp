// library.hpp - stands for the library that the module makes available, until that is included instead.
//
// Like most libraries of messages, files and devices it starts operations, and has a test for the end of each.
#pragma once

#include <chrono>

namespace starter::library {

struct request {
  int number;
  std::chrono::steady_clock::time_point ends;
};

inline request start(int number) { return {number, std::chrono::steady_clock::now() + std::chrono::milliseconds(1)}; }
inline bool has_ended(const request& r) { return std::chrono::steady_clock::now() >= r.ends; }
inline int result_of(const request& r) { return 2 * r.number; }

}  // namespace starter::library
