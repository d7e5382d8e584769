// collective_part.hpp - the first argument of a collective host task: its node, and an MPI communicator.
//
//     void print_in_order(const buffer<double>& x) {
//       host_task(collective{}, [](collective_part me, view<const double> part) {
//         for (std::uint32_t node = 0; node < me.nodes; ++node) {
//           if (node == me.node) std::printf("node %u has %llu elements\n", node, (unsigned long long)part.size());
//           MPI_Barrier(me.communicator<MPI_Comm>());
//         }
//       }, x.in(even_split));
//     }
//
// Threads     only the function of the task calls communicator, on its own thread.
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
/// Calls `f` and waits for it. In a job over MPI with MPI_THREAD_MULTIPLE, on a thread that is no worker.
void run_collective_part(const std::function<void()>& f, const std::source_location& where);
}  // namespace detail

/// The part of a collective host task that runs on one node.
struct collective_part {
  std::uint32_t node = 0, nodes = 1;  // the number of this node, and the number of all nodes
  std::uint32_t group = 0;            // of collective{group}

  /// A communicator of all nodes, whose ranks are the node numbers: me.communicator<MPI_Comm>(). Only the tasks of this
  /// group use it. The program includes mpi.h and is linked with the MPI that the job uses. In a runtime without a job
  /// the communicator has this process only.
  ///
  ///   returns  the same communicator in each task of the group. The program must not free it
  ///   throws   N30 if MPI was started without MPI_THREAD_MULTIPLE, in a simulated job, and if `Communicator` is no
  ///            MPI_Comm
  ///   cost     the first call of a group is collective: if the part of one node makes it, the parts of all nodes must
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
