// eventually.hpp - waits for something that other threads bring about, however busy the machine is.
#pragma once

#include <chrono>

namespace stretto::test {

/// Calls `meanwhile` until `is_so`, and returns true. Returns false after five minutes: this limit only ends a test
/// that would hang, and no verdict depends on the speed of the machine.
template <class Condition, class Meanwhile>
bool eventually(Condition&& is_so, Meanwhile&& meanwhile) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    meanwhile();
  }
  return true;
}

}  // namespace stretto::test
