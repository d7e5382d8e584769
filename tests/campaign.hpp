// campaign.hpp - how far a test goes: a fixed budget on every run, all seeds in the long campaign.
#pragma once

#include <cstdlib>
#include <string_view>

namespace stretto::test {

/// True under `./stretto test --long` (STRETTO_TEST_LONG=1).
inline bool long_campaign() {
  const char* asked = std::getenv("STRETTO_TEST_LONG");
  return asked && std::string_view(asked) == "1";
}

/// How many seeds, rounds or operations a test makes: for (seed = 0; seed < scaled(20, 5'000); ++seed) ...
template <class Number>
Number scaled(Number quick, Number in_long_campaign) {
  return long_campaign() ? in_long_campaign : quick;
}

}  // namespace stretto::test
