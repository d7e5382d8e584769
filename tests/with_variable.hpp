// with_variable.hpp - a variable of the environment, set while this lives; then it is what it was.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace stretto::test {

class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_(name) {
    if (const char* const is = std::getenv(name)) before_ = is;
    setenv(name, value, 1);
  }
  with_variable(const with_variable&) = delete;
  ~with_variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

}  // namespace stretto::test
