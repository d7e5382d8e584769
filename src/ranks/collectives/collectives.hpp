// collectives.hpp - builds the schedule of one rank for each collective of MPI.
//
// A builder chooses the algorithm by the number of ranks and bytes, alike on all ranks, and appends its steps.
// Blocking, non-blocking and persistent calls use one builder: they differ in who executes the schedule and when.
//
// Threads     pure; the buffers' arrays are read while a schedule is built, memory only when it runs.
// Cost        O(steps); a logarithm of the ranks for small data, else O(ranks).
// Errors      call_error: root, or op where MPI does not define an operation for a type. Counts are checked before.
// Source      choice and algorithms: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations
//             in MPICH", 2005; each algorithm names its own. Ours differ where ranks outnumber workers: the number of
//             messages then counts and not that of rounds, so trees replace exchanges between all ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "ranks/collectives/collective_buffers.hpp"
#include "ranks/collectives/schedule.hpp"
#include "ranks/special_ranks.hpp"

namespace stretto::ranks {

/// A communicator, as one of its ranks sees it.
struct collective_group {
  int rank = 0;          // in its group
  int size = 1;          // of its group
  int remote_size = -1;  // ranks of the other group of an intercommunicator; -1 if there is none
  /// How many ranks of the group can run at once on a node. All ranks must pass the same number.
  int concurrency = std::numeric_limits<int>::max();
  /// The node of each rank of the group; empty for one node. All ranks must pass the same numbers.
  std::span<const int> nodes = {};

  bool is_inter() const { return remote_size >= 0; }
};

void build_barrier(schedule& steps, const collective_group& group);

/// On intercommunicators, `root` is a rank of the other group; in the root's group it is this_rank_is_root or
/// null_process.
void build_broadcast(schedule& steps, const collective_group& group, const data_buffer& data, int root);

/// `blocks` is significant at the root only.
void build_gather(schedule& steps, const collective_group& group, const data_buffer& own, const block_buffer& blocks,
                  int root);
void build_gatherv(schedule& steps, const collective_group& group, const data_buffer& own, const block_buffer& blocks,
                   int root);
void build_scatter(schedule& steps, const collective_group& group, const block_buffer& blocks, const data_buffer& own,
                   int root);
void build_scatterv(schedule& steps, const collective_group& group, const block_buffer& blocks, const data_buffer& own,
                    int root);

/// Also allgatherv: `blocks` has displacements then, at all ranks.
void build_allgather(schedule& steps, const collective_group& group, const data_buffer& own,
                     const block_buffer& blocks);
/// Also alltoallv and alltoallw. In place, `sent` is not significant but for its address.
void build_alltoall(schedule& steps, const collective_group& group, const block_buffer& sent,
                    const block_buffer& received);

void build_reduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers, int root);
void build_allreduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers);
/// Rank i gets counts[i] elements of the result; `count` of the buffers is the sum. On intercommunicators the counts
/// are those of this group.
void build_reduce_scatter(schedule& steps, const collective_group& group, const reduction_buffers& buffers,
                          number_list counts);
/// The same with `count` of the buffers for each rank.
void build_reduce_scatter_block(schedule& steps, const collective_group& group, const reduction_buffers& buffers);
void build_scan(schedule& steps, const collective_group& group, const reduction_buffers& buffers);
void build_exscan(schedule& steps, const collective_group& group, const reduction_buffers& buffers);

/// How messages between two ranks that are neighbours several times match. In a Cartesian topology, data that is sent
/// down a dimension arrives from above; else both lists have them in one order.
enum class neighbor_order : std::uint8_t { listed, cartesian };

/// The neighbours of a rank in its topology. The lists may have a rank several times, and null_process.
struct neighbor_ranks {
  std::span<const int> sources;
  std::span<const int> destinations;
  neighbor_order order = neighbor_order::listed;
};

/// Also neighbor_allgatherv. Block i is received from sources[i].
void build_neighbor_allgather(schedule& steps, const neighbor_ranks& neighbors, const data_buffer& own,
                              const block_buffer& blocks);
/// Also neighbor_alltoallv and neighbor_alltoallw.
void build_neighbor_alltoall(schedule& steps, const neighbor_ranks& neighbors, const block_buffer& sent,
                             const block_buffer& received);

}  // namespace stretto::ranks
