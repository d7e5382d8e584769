// refused_code.hpp - the code of the error that a call throws.
#pragma once

#include <stretto/error.hpp>
#include <string>

namespace stretto::test {

/// Empty if it throws none.
template <class Call>
std::string code_of(Call&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.code();
  }
  return "";
}

/// The whole message; empty if it throws none.
template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace stretto::test
