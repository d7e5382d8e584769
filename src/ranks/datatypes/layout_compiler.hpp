// layout_compiler.hpp - makes the layout of a datatype from its parts.
//
// Threads     pure.
// Cost        O(runs that are not regular); regular repetitions stay loops, whatever their number.
#pragma once

#include "ranks/datatypes/type_layout.hpp"

namespace stretto::ranks {

class datatype;

/// Adjacent runs become one, and runs of one length at regular distances a loop; the order of the data stays.
type_layout compile_layout(const datatype& type);

}  // namespace stretto::ranks
