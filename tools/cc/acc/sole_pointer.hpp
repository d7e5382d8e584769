// sole_pointer.hpp - whether a variable is the only pointer of a program to a block of the heap, as far as its source
// shows.
//
// Threads     pure.
// Cost        linear in the text.
// Source      J. Kim, S. Lee, J. S. Vetter, "IMPACC", HPDC 2016, section 3.8: heap aliasing changes the receiver's
// pointer.
#pragma once

#include <string>

#include "cc/acc/data_item.hpp"

namespace stretto::cc::acc {

/// Why the receiver's pointer cannot be changed: "another variable is assigned from \"a\""; empty if nothing in the
/// source speaks against it.
///
///   argument   of the call, as the source has it
std::string reason_against_sharing(const std::string& argument, const name_scope& scope);

}  // namespace stretto::cc::acc
