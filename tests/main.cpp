#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "campaign.hpp"

/// Asked by LeakSanitizer, in builds that have it. PoCL loses its compiler's passes with every kernel that it has in no
/// cache.
extern "C" const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libpocl.so\n"; }

int main(int argc, char** argv) {
  // Property tests: the same cases on every quick run, new ones (and more) in the long campaign. RapidCheck
  // prints what reproduces a failure.
  setenv("RC_PARAMS", stretto::test::long_campaign() ? "max_success=2000" : "seed=20140824", 0);
  setenv("STRETTO_SPEEDS", "none", 0);  // a test leaves nothing in the user's cache
  setenv("STRETTO_STUCK", "20", 0);     // a test that hangs is told why
  return doctest::Context(argc, argv).run();
}
