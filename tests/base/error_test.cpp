#include <doctest/doctest.h>

#include <array>
#include <stretto/error.hpp>

#include "base/nearest_name.hpp"

using stretto::error;

TEST_CASE("an error prints code, sentence, facts, because and try in that order") {
  const auto e = error("B04", "two chunks write the same elements")
                     .fact("overlap", "rows 1023-1025")
                     .remedy("write into a second buffer")
                     .because("neighborhood widens every chunk");
  CHECK(std::string(e.what()) ==
        "error B04: two chunks write the same elements\n"
        "  overlap     rows 1023-1025\n"
        "  because     neighborhood widens every chunk\n"
        "  try         write into a second buffer");
}

TEST_CASE("changing a copy of an error leaves the original as it was") {
  const error original("B01", "first");
  error copy = original;
  copy.fact("more", "here");
  CHECK(original.facts().empty());
  CHECK(copy.facts().size() == 1);
}

TEST_CASE("a misspelt name finds its nearest neighbour and nonsense finds none") {
  const std::array<std::string, 3> names{"workers", "trace", "stack_size"};
  CHECK(stretto::base::nearest_name("wrokers", names) == "workers");
  CHECK(stretto::base::nearest_name("stack-size", names) == "stack_size");
  CHECK_FALSE(stretto::base::nearest_name("qqqqqqq", names));
}
