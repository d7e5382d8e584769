// code_location.hpp - the source line of an address in the code of this process, for reports.
//
// Threads     any.
// Cost        runs addr2line, once for each address.
#pragma once

#include <string>

namespace stretto::base {

/// The line that contains the call which returns to this address: "ring.c:12". Without debug information the function
/// and the argument for addr2line, "main, ring+0x1234"; empty for a null pointer.
std::string location_of_call(const void* return_address);

}  // namespace stretto::base
