// window_check.hpp - STRETTO_CHECK=1 for windows: accesses in one epoch that conflict (R17), and fences whose
// assertions differ from rank to rank (R18).
//
// The node of the target compares all accesses to a rank. Another node describes an access in a message of the
// window, ahead of the access. Between two fences, all accesses are compared. Others are compared while they are open:
// from the call until a flush or an unlock of their rank, or until the target ends the epoch that MPI_Win_post began.
// So what is reported is a conflict whatever the ranks do to synchronize; one that did not happen in this run is not
// found.
//
// Threads     any thread of a rank.
// Cost        nothing unless usage_check::is_on; then each access is compared with those of its epoch, and with at most
//             4096 open ones. One to another node is a message more.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ranks/windows/rank_window.hpp"

namespace stretto::ranks::usage_check {

/// The calling rank accesses the memory of a rank of the window, which is not dynamic.
void accesses(rank_window& of, int target, const window_operation& operation);
/// It begins a fence.
void begins_fence(rank_window& of, int assertions);
// As usage_observer.
void accessed_elsewhere(const void* window, std::span<const std::byte> described);
void ended_elsewhere(const void* window, int origin, int target);

/// MPI_Win_flush_local ends only those that have fetched.
enum class ended_accesses { all, fetches };
/// It is about to end accesses to a rank, or to all ranks.
void ends_accesses(rank_window& of, std::optional<int> target, ended_accesses which = ended_accesses::all);
/// All ranks have ended the accesses that MPI_Win_post of the calling rank allowed.
void has_ended_exposure(rank_window& of);
/// No rank uses the window any more.
void frees(rank_window& of);

}  // namespace stretto::ranks::usage_check
