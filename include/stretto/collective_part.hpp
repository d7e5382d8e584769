// collective_part.hpp - what a collective host task knows of itself: its node, and a communicator of MPI for its calls.
//
//     host_task(collective{}, [](collective_part me, view<const double> x) {
//       MPI_File_open(me.communicator<MPI_Comm>(), "x.raw", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
//       ...
//     }, x.in(even_split));
//
// Threads     communicator: the function of the task, on its own thread.
// Memory      a communicator lives as long as the runtime, which frees it.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
void copy_communicator(std::uint32_t group, void* communicator, std::size_t bytes, const std::source_location& where);
/// Calls `f`, and returns when it has. Where the job goes over MPI and the program may block in calls of it, on a
/// thread that is no worker.
void run_collective_part(const std::function<void()>& f, const std::source_location& where);
}  // namespace detail

/// Which part of a collective task this is; the first argument of its function, if that takes it.
struct collective_part {
  std::uint32_t node = 0, nodes = 1;
  std::uint32_t group = 0;

  /// A communicator of all nodes, by their numbers, which the group's tasks share and nobody else uses:
  /// me.communicator<MPI_Comm>(). The program includes mpi.h and is linked with the MPI that the job goes over. In a
  /// runtime that is alone it has this process only.
  ///
  ///   returns  the same in each task of the group. The program does not free it
  ///   throws   N30 where MPI was started without MPI_THREAD_MULTIPLE, in a simulated job, and where `Communicator` is
  ///            no MPI_Comm
  ///   cost     the first call of a group is collective: where one node's part makes it, all do
  template <class Communicator>
  Communicator communicator(std::source_location where = std::source_location::current()) const {
    static_assert(std::is_trivially_copyable_v<Communicator>,
                  "a communicator is MPI's own handle: me.communicator<MPI_Comm>()");
    Communicator is;
    detail::copy_communicator(group, &is, sizeof is, where);
    return is;
  }
};

}  // namespace stretto

STRETTO_API_END
