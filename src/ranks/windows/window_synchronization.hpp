// window_synchronization.hpp - fences, exposure and access epochs, and locks of windows.
//
// Fences are barriers, and the other epochs of active targets are empty messages, both of the window's communicator. So
// they need no code of their own for ranks of other nodes.
//
// Threads     the rank that has the window. Calls that wait suspend it.
// Errors      call_error(rma_sync), before anything is done.
#pragma once

#include <source_location>
#include <vector>

#include "ranks/windows/rank_window.hpp"

namespace stretto::ranks {

/// Assertions of programs; the numbers are those of the ABI, and may be combined.
namespace window_assertion {
inline constexpr int no_check = 1024;
inline constexpr int no_precede = 2048;
inline constexpr int no_put = 4096;
inline constexpr int no_store = 8192;
inline constexpr int no_succeed = 16384;
}  // namespace window_assertion

using call_site = std::source_location;

void fence(rank_window& of, int assertions, const call_site& where = call_site::current());

/// Lets the ranks `origins` access the window, once. Does not wait.
void post(rank_window& of, const std::vector<int>& origins, int assertions);
/// Returns when all of them have ended their accesses.
void wait_for_accesses(rank_window& of, const call_site& where = call_site::current());
bool test_accesses(rank_window& of, const call_site& where = call_site::current());

/// Begins accesses to ranks, once these have posted.
void start(rank_window& of, const std::vector<int>& targets, int assertions,
           const call_site& where = call_site::current());
void complete(rank_window& of, const call_site& where = call_site::current());

void lock(rank_window& of, int target, lock_mode mode, const call_site& where = call_site::current());
void unlock(rank_window& of, int target, const call_site& where = call_site::current());
void lock_all(rank_window& of, const call_site& where = call_site::current());
void unlock_all(rank_window& of, const call_site& where = call_site::current());

void flush(rank_window& of, int target, const call_site& where = call_site::current());
void flush_all(rank_window& of, const call_site& where = call_site::current());
/// Makes stores of this rank and of others visible to each other.
void synchronize_memory();

/// Returns when all ranks have called it, before they destroy the window.
void wait_for_all_ranks(rank_window& of, const call_site& where = call_site::current());

}  // namespace stretto::ranks
