// with_variable.hpp - a variable of the environment, set while this lives.
#pragma once

#include <cstdlib>

namespace stretto::test {

struct with_variable {
  with_variable(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  with_variable(const with_variable&) = delete;
  ~with_variable() { unsetenv(name); }
  const char* name;
};

}  // namespace stretto::test
