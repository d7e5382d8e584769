// device_parameter.hpp - the parameters of a kernel, for the arguments of its region.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace stretto::cc::acc {

/// The parameters of a kernel for an argument of the plan, or for an extent of its rows.
struct device_parameter {
  enum class form : std::uint8_t {
    value,    // one parameter: the number or the record itself; of an extent, 8 bytes
    bytes,    // one parameter: global memory with a copy of the variable, which the kernel only reads
    address,  // two parameters: a buffer, and the 8 bytes that are added to its address. Of a pointer: what it points
              // to; of an array: its first element; of other variables: the variable
  };
  form is;
  std::size_t argument;               // index in the plan's arguments
  std::optional<std::size_t> extent;  // index in the extents of the argument; none: the variable
  std::size_t bytes;                  // of a value, or to be copied
};

}  // namespace stretto::cc::acc
