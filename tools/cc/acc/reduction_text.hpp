// reduction_text.hpp - reductions in text of C: the identity of an operator, and the combination of two values.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

/// The value that changes no other one: "0" of a sum, the least value of a maximum.
std::string identity_text(const c_type& type, reduction_operator operation);
/// The statement that combines `from` into `into`.
std::string combination_text(const std::string& into, const std::string& from, reduction_operator operation);

}  // namespace stretto::cc::acc
