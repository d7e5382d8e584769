// jumps.hpp - goto in the code of a region.
//
// Devices run it as hosts do. The iterations of a loop with a directive are not in order, so no jump enters such a loop
// or leaves it, unless it has seq. Loops of `kernels` without a directive are not divided if they have jumps.
//
// Threads     pure.
#pragma once

#include <algorithm>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

inline bool is_jump(const statement& s) { return s.is == statement_form::goto_ || s.is == statement_form::label_; }
/// Whether there is goto or a label in it.
inline bool has_jumps(const statement& s) { return is_jump(s) || std::ranges::any_of(s.parts, has_jumps); }

/// Throws O20 for a jump out of the code, or into or out of a loop whose iterations may be divided.
void check_jumps(const statement& code, const preprocessed_text& source);

}  // namespace stretto::cc::acc
