// environment_test.cpp - what a runtime is told by STRETTO_* variables.
#include <doctest/doctest.h>

#include <cstdlib>

#include <stretto/stretto.hpp>

namespace {

struct variable {
  const char* name;
  variable(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~variable() { unsetenv(name); }
};

}  // namespace

TEST_CASE("a runtime has as many workers as STRETTO_WORKERS says, unless the program says otherwise") {
  const variable set("STRETTO_WORKERS", "3");
  CHECK(stretto::runtime().workers() == 3);
  CHECK(stretto::runtime({.workers = 2}).workers() == 2);
}

TEST_CASE("a variable that is none of the options is an error, not ignored") {
  const variable set("STRETTO_WORKER", "3");
  CHECK_THROWS_AS(stretto::runtime(), stretto::error);
}
