// debug_build.hpp - whether this library is one for finding faults (docs/adr/0078).
//
// Threads     any.
#pragma once

namespace stretto::base {

/// Whether the library was built with CMAKE_BUILD_TYPE=Debug: then programs are checked unless they say otherwise.
bool is_debug_build() noexcept;

}  // namespace stretto::base
