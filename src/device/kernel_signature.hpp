// kernel_signature.hpp - the parameters of a kernel or a device function, read from their text.
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
  tokens type;  ///< of a value, or of an array's elements
  std::string name;
  int dimensions = 0;
  fold_operator fold = fold_operator::none;  ///< of reduce; none: an operator of another name, which is `type` then
  std::string by;                            ///< the name of an operator of the program's own, once that is known

  bool is_array() const noexcept { return mode != access::value; }
};

/// Reads "(in<float, 2> u, float c)". The C++ compiler has seen the text, so that what it means is not in doubt.
std::vector<written_parameter> parameters_of(const tokens& text);

/// The tokens between two commas that stand outside of all brackets.
std::vector<tokens> split_at_commas(const tokens& all, std::size_t first, std::size_t last);
/// Where the bracket that opens at `open` closes; all.size() if it does not.
std::size_t closing(const tokens& all, std::size_t open);

}  // namespace stretto::device
