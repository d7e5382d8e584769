// kernel_signature.hpp - parses the parameters of a kernel or a device function.
//
// Threads     pure.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string>
#include <vector>

#include "device/kernel_tokens.hpp"

namespace stretto::device {

struct written_parameter {
  access mode = access::value;
  tokens type;  ///< the type of the value, or of the array's elements
  std::string name;
  int dimensions = 0;
  fold_operator fold = fold_operator::none;  ///< of reduce; none: a user-defined operator, whose name is in `type`
  std::string by;                            ///< the name of the user-defined operator, once known

  bool is_array() const noexcept { return mode != access::value; }
};

/// Parses "(in<float, 2> u, float c)". The C++ compiler has accepted the text, so it is well formed.
std::vector<written_parameter> parameters_of(const tokens& text);

/// Splits tokens at the commas outside of all brackets.
std::vector<tokens> split_at_commas(const tokens& all, std::size_t first, std::size_t last);
/// The index of the bracket that closes the one at `open`; all.size() if there is none.
std::size_t closing(const tokens& all, std::size_t open);

}  // namespace stretto::device
