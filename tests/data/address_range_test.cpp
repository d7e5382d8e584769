#include "data/address_range.hpp"

#include <doctest/doctest.h>

using stretto::data::address_range;

TEST_CASE("addresses are set aside without a page and become usable as they are committed") {
  address_range range(std::uint64_t{1} << 36);
  REQUIRE(range.base() != nullptr);
  CHECK(range.committed() == 0);
  REQUIRE(range.commit(100));
  range.base()[99] = std::byte{7};
  CHECK(range.committed() >= 100);
  CHECK(range.committed() <= 1 << 20);
  REQUIRE(range.commit(3 << 20));
  CHECK(range.base()[99] == std::byte{7});
  range.base()[(3 << 20) - 1] = std::byte{1};
}

TEST_CASE("more than was set aside cannot be committed") {
  address_range range(5000);
  CHECK(range.capacity() == 5000);
  CHECK_FALSE(range.commit(5001));
  CHECK(range.commit(5000));
}

TEST_CASE("an empty range holds nothing") {
  address_range range(0);
  CHECK(range.base() == nullptr);
  CHECK(range.commit(0));
  CHECK_FALSE(range.commit(1));
}

TEST_CASE("discarded pages read as zero and those around them stay") {
  address_range range(1 << 20);
  REQUIRE(range.commit(1 << 20));
  for (int i = 0; i < 3 * 4096; ++i) range.base()[i] = std::byte{9};
  range.discard(100, 2 * 4096 + 100);
  CHECK(range.base()[4095] == std::byte{9});
  CHECK(range.base()[4096] == std::byte{0});
  CHECK(range.base()[2 * 4096] == std::byte{9});
}
