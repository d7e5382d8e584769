#include "with_variable.hpp"

#include <doctest/doctest.h>

#include <string>

using stretto::test::with_variable;

TEST_CASE("a variable that a test sets is afterwards what it was") {
  constexpr const char* name = "STRETTO_TEST_VARIABLE";
  {
    const with_variable outer(name, "outer");
    {
      const with_variable inner(name, "inner");
      CHECK(std::getenv(name) == std::string("inner"));
    }
    REQUIRE(std::getenv(name));
    CHECK(std::getenv(name) == std::string("outer"));
  }
  CHECK(std::getenv(name) == nullptr);
}
