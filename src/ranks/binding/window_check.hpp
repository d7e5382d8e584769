// window_check.hpp - STRETTO_CHECK=1 for windows: accesses between two fences that conflict (R17), and fences whose
// assertions differ from rank to rank (R18).
//
// Threads     any thread of a rank.
// Cost        nothing unless usage_check::is_on; then each access is compared with those of its epoch.
#pragma once

#include "ranks/windows/rank_window.hpp"

namespace stretto::ranks::usage_check {

/// The calling rank accesses the memory of a rank of the window. Accesses in other epochs than those of fences, and
/// those of memory on other nodes, are not compared.
void accesses(rank_window& of, int target, const window_operation& operation);
/// It begins a fence.
void begins_fence(rank_window& of, int assertions);

}  // namespace stretto::ranks::usage_check
