// thrown_by.hpp - the exception of a call, as text.
#pragma once

#include <stretto/error.hpp>

#include <exception>
#include <string>

#include "function_reference.hpp"

namespace stretto::test {

/// The whole text of what `body` throws.
inline std::string thrown_by(function_reference<void()> body) {
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
inline error error_of(function_reference<void()> body) {
  try {
    body();
  } catch (const error& e) {
    return e;
  }
  return error("", "nothing was thrown");
}

}  // namespace stretto::test
