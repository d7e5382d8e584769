// faults.hpp - the errors of the module.
#pragma once

#include <stretto/error.hpp>

#include <string>

namespace stretto::upcxx_detail {

/// M36.
error not_usable(const std::string& why);
/// M37.
error no_such_rank(int rank, int ranks);
/// M39.
error without_persona();

}  // namespace stretto::upcxx_detail
