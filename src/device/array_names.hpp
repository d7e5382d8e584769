// array_names.hpp - names of a kernel's arrays, for error messages.
//
// Threads     pure.
// Cost        linear in the text.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string>

namespace stretto::device {

struct array_name {
  std::string name;
  int dimensions = 1;  ///< at most 3 are reported; a local_array may have more
};

/// `number` is the index of a parameter, or that of a local_array combined with index_out_of_range::is_local_array.
array_name name_of_array(const kernel_code& code, unsigned number);

}  // namespace stretto::device
