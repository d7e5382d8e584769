// thrown_by.hpp - what a call throws, as text.
#pragma once

#include <exception>
#include <string>

namespace stretto::test {

/// The whole text of what `body` throws.
template <class Body>
std::string thrown_by(Body&& body) {
  try {
    body();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace stretto::test
