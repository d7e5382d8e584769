// campaign.hpp - how far a test goes: a fixed budget on every run, all seeds in the long campaign.
#pragma once

#include <cstdlib>
#include <string_view>

#include "../src/base/config.hpp"  // of programs that know nothing of src, too

namespace stretto::test {

/// True under `./stretto test --long` (STRETTO_TEST_LONG=1).
inline bool long_campaign() {
  const char* asked = std::getenv("STRETTO_TEST_LONG");
  return asked && std::string_view(asked) == "1";
}

/// How many seeds, rounds or operations a test makes: for (seed = 0; seed < scaled(20, 5'000); ++seed) ...
/// ThreadSanitizer, ten to twenty times slower, goes a third of the way in a quick run and a tenth in the long campaign:
/// hours less, and the seeds it leaves out run in the two other builds.
template <class Number>
Number scaled(Number quick, Number in_long_campaign) {
  if (!long_campaign()) return base::thread_sanitizer ? (quick + 2) / 3 : quick;
  return base::thread_sanitizer ? quick + (in_long_campaign - quick) / 10 : in_long_campaign;
}

}  // namespace stretto::test
