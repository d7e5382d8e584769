// array_names.hpp - how a kernel calls its arrays, for messages.
//
// Threads     pure.
// Cost        linear in the text.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string>

namespace stretto::device {

struct array_name {
  std::string name;
  int dimensions = 1;  ///< at most 3: a local_array may have more
};

/// Of a parameter, or of the local_array whose number stands with index_out_of_range::is_local_array.
array_name name_of_array(const kernel_code& code, unsigned number);

}  // namespace stretto::device
