// thrown_by.hpp - the exception of a call, as text.
#pragma once

#include <stretto/error.hpp>

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

/// The text of the error of a future; empty if it has none.
template <class Future>
std::string words_of(const Future& f) {
  try {
    f.get();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// The error that `body` throws; one without a code if it throws none.
template <class Body>
error error_of(Body&& body) {
  try {
    body();
  } catch (const error& e) {
    return e;
  }
  return error("", "nothing was thrown");
}

}  // namespace stretto::test
