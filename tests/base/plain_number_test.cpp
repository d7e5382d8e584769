// plain_number: rounded to a number of digits, without an exponent.
#include "base/plain_number.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace stretto::base {

TEST_CASE("a number for people has as many digits as were asked for and no exponent") {
  CHECK(plain_number(100, 2) == "100");  // of 1e-4 s, in us
  CHECK(plain_number(99.97, 2) == "100");
  CHECK(plain_number(12.34, 2) == "12");
  CHECK(plain_number(1.25, 3) == "1.25");
  CHECK(plain_number(1.204, 3) == "1.2");
  CHECK(plain_number(0.01251, 2) == "0.013");
  CHECK(plain_number(1234567, 3) == "1234567");
  CHECK(plain_number(-0.5, 4) == "-0.5");
  CHECK(plain_number(2, 4) == "2");
  CHECK(plain_number(9.996, 3) == "10");
}

TEST_CASE("zero and infinity are printed as they are") {
  CHECK(plain_number(0, 3) == "0");
  CHECK(plain_number(INFINITY, 3) == "inf");
}

}  // namespace stretto::base
