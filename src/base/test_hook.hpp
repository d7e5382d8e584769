// test_hook.hpp - values that tests and benchmarks set in the environment, for mechanisms that have no option.
//
// Their names begin with STRETTO_TEST_ and are not in the table of options: no program and no cluster needs another
// value than the usual one.
//
// Threads     any, while no thread changes the environment.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace stretto::base {

/// The number that the variable holds; `usual` if it is not set.
inline std::uint64_t test_hook(const char* variable, std::uint64_t usual) noexcept {
  const char* const text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

}  // namespace stretto::base
