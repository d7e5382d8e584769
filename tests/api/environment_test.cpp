// environment_test.cpp - options of a runtime from STRETTO_* variables.
#include <doctest/doctest.h>

#include <stretto/stretto.hpp>

#include "with_variable.hpp"

TEST_CASE("a runtime has as many workers as STRETTO_WORKERS says, unless the program says otherwise") {
  const stretto::test::with_variable set("STRETTO_WORKERS", "3");
  CHECK(stretto::runtime().workers() == 3);
  CHECK(stretto::runtime({.workers = 2}).workers() == 2);
}

TEST_CASE("a variable that is none of the options changes nothing, however near it is to one") {
  const std::uint32_t usual = stretto::runtime().workers();
  for (const char* name : {"STRETTO_WORKER", "STRETTO_ROOT"}) {
    const stretto::test::with_variable set(name, "3000");
    CHECK(stretto::runtime().workers() == usual);
  }
}
