// call_error.hpp - the exception by which an erroneous call reaches the binding that returns or raises its class.
#pragma once

#include <stdexcept>
#include <string>

#include "ranks/error_class.hpp"

namespace stretto::ranks {

/// An argument of a call is wrong. The text says which one and why, in one clause without a full stop.
class call_error : public std::runtime_error {
 public:
  call_error(error_class which, const std::string& text) : std::runtime_error(text), which_(which) {}

  error_class which() const { return which_; }

 private:
  error_class which_;
};

}  // namespace stretto::ranks
