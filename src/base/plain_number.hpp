// plain_number.hpp - numbers for people: a few digits and no exponent.
//
// Threads     pure.
#pragma once

#include <string>

namespace stretto::base {

/// `value` rounded to so many significant digits, without an exponent and without zeros at its end:
/// plain_number(100.4, 2) is "100", plain_number(0.0125, 2) is "0.013".
std::string plain_number(double value, int digits);

}  // namespace stretto::base
