// error_message.hpp - the text of the error that an expression throws, for golden tests.
#pragma once

#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <string>

namespace stretto::test {

template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const error& e) {
    return e.what();
  }
  return "no error was thrown";
}

}  // namespace stretto::test
