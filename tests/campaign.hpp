// campaign.hpp - how far a test goes: a fixed budget on every run, all seeds in the long campaign.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "../src/base/config.hpp"  // of programs that know nothing of src, too

namespace stretto::test {

/// True under `./stretto test --long` (STRETTO_TEST_LONG=1).
inline bool long_campaign() {
  const char* asked = std::getenv("STRETTO_TEST_LONG");
  return asked && std::string_view(asked) == "1";
}

/// True where the tests run once more in other circumstances (STRETTO_TEST_BRIEF=1), as under another driver: some
/// seeds do.
inline bool is_brief() {
  const char* asked = std::getenv("STRETTO_TEST_BRIEF");
  return asked && std::string_view(asked) == "1";
}

/// Of cases in a row a quick run under a sanitizer makes each so many-th: for (n = 1; n <= 12; n += stride()) ...
inline unsigned stride() {
  if (long_campaign()) return 1;
  const unsigned of_build = base::thread_sanitizer ? 5 : base::address_sanitizer ? 3 : 1;
  return is_brief() ? std::max(4u, of_build) : of_build;
}

/// How many seeds, rounds or operations a test makes: for (seed = 0; seed < scaled(20, 5'000); ++seed) ...
/// In the long campaign AddressSanitizer, three times slower, goes an eighth of the way, ThreadSanitizer, ten to twenty
/// times slower, a twentieth, and brief runs a quarter of that; in a quick run a third and a fifth. Hours less, and the
/// seeds left out run in the plain build.
template <class Number>
Number scaled(Number quick, Number in_long_campaign) {
  if (!long_campaign()) {
    const auto part = static_cast<Number>(stride());
    return (quick + part - 1) / part;
  }
  const Number least = is_brief() ? (quick + 3) / 4 : quick;
  const int share = (base::thread_sanitizer ? 20 : base::address_sanitizer ? 8 : 1) * (is_brief() ? 4 : 1);
  return least + static_cast<Number>((in_long_campaign - quick) / static_cast<Number>(share));
}

/// The same where one thread does everything, so that ThreadSanitizer has little to see: it goes a tenth of the way.
template <class Number>
Number scaled_of_one_thread(Number quick, Number in_long_campaign) {
  const Number n = scaled(quick, in_long_campaign);
  return base::thread_sanitizer
             ? std::min(n, (quick + 9) / 10 + (long_campaign() ? (in_long_campaign - quick) / 200 : 0))
             : n;
}

}  // namespace stretto::test
