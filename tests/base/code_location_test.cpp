#include "base/code_location.hpp"

#include <doctest/doctest.h>

#include <string>

using stretto::base::location_of_call;

namespace {

[[gnu::noinline]] std::string line_of_this_call() { return location_of_call(__builtin_return_address(0)); }

}  // namespace

TEST_CASE("a call in the program's own file has its line") {
  const auto found = line_of_this_call(), expected = "code_location_test.cpp:" + std::to_string(__LINE__);
  CHECK(found == expected);
}
