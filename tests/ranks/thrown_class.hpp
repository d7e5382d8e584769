// thrown_class.hpp - the class of the call_error that a function throws.
#pragma once

#include "ranks/call_error.hpp"

namespace stretto::test {

/// `success` if it throws nothing.
template <class Body>
ranks::error_class thrown_class(const Body& body) {
  try {
    body();
  } catch (const ranks::call_error& error) {
    return error.which();
  }
  return ranks::error_class::success;
}

}  // namespace stretto::test
