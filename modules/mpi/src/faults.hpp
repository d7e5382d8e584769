// faults.hpp - what goes wrong with calls of MPI, in the words of the program: which call, on which communicator, with
// whom, from where.
//
// Threads     those that ask MPI (failed, truncated): where MPI may be called.
#pragma once

#include <stretto_mpi/call.hpp>

#include <stretto/error.hpp>

#include <exception>
#include <span>

namespace stretto::mpi {

/// "MPI_Irecv".
const char* name_of(detail::call_kind kind) noexcept;

/// M20, M21: MPI said `code` of this call.
std::exception_ptr failed(const detail::operation& o, int code);
std::exception_ptr failed(const detail::call& c, const call_tags& tags, int code);
/// M25: the runtime ended first.
std::exception_ptr unfinished(const detail::operation& o, const char* why);
/// M26: a collective call before it was skipped, for that reason.
std::exception_ptr out_of_step(const detail::operation& o, const std::string& skipped, const std::exception_ptr& cause);
/// M28, if MPI cannot count so many.
void check_counts(const detail::call& c, const call_tags& tags);

/// M22: which workers have the interconnect on their paths; not one.
[[noreturn]] void not_one_worker(std::span<const std::uint32_t> workers, const std::string& place);
/// M23: MPI calls are to be made by that worker, which is not the thread that started MPI.
error other_thread(std::uint32_t worker);
/// M24: MPI is not usable.
error no_mpi(const char* why);

}  // namespace stretto::mpi
