// intercommunicator_schedule.cpp - collectives between two groups: each combines its data at a leader, rank 0, and the
// leaders exchange it.
//
// Source      Silva, Silva, "Implementing MPI-2 extended collective operations", 1999: collectives of the local group,
//             and messages between the leaders.
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/collectives/algorithms.hpp"

namespace stretto::ranks {

namespace {

peer_rank remote(int rank) { return {rank, group_side::remote}; }

/// The leaders exchange messages.
void exchange_of_leaders(schedule& steps, const data_part& sent, const data_part& received) {
  receive_some(steps, remote(0), received);
  send_some(steps, remote(0), sent);
  steps.wait_all();
}

/// Combines the group's values at its leader; returns where they are there.
void* combine_at_leader(schedule& steps, const team& members, const void* in, std::int64_t count) {
  const datatype& type = steps.operation_of_steps().type();
  void* result = members.index == 0 ? steps.temporary(count, type) : nullptr;
  append_reduce(steps, members, {in, result, count}, 0);
  return result;
}

}  // namespace

void append_inter_barrier(schedule& steps, const collective_group& group) {
  const team members = team_of(group);
  append_barrier(steps, members);
  if (group.rank == 0) {
    steps.receive(remote(0), {});
    steps.send(remote(0), {});
    steps.wait_all();
  }
  append_tree_broadcast(steps, members, {}, 0);
}

void append_inter_broadcast(schedule& steps, const collective_group& group, const data_buffer& data, int root) {
  if (root == null_process) return;
  steps.keep(*data.type);
  const data_part all = data.data();
  if (all.bytes() == 0) return;
  if (root == this_rank_is_root) {
    steps.send(remote(0), all);
    return steps.wait_all();
  }
  if (group.rank == 0) {
    steps.receive(remote(root), all);
    steps.wait_all();
  }
  append_broadcast(steps, team_of(group), all, 0);
}

void append_inter_gather(schedule& steps, const collective_group& group, const data_buffer& own,
                         const block_buffer& blocks, int root) {
  if (root == null_process) return;
  if (root == this_rank_is_root) {
    for (int i = 0; i < group.remote_size; ++i) {
      steps.keep(blocks.type(i));
      receive_some(steps, remote(i), blocks[i]);
    }
  } else {
    steps.keep(*own.type);
    send_some(steps, remote(root), own.data());
  }
  steps.wait_all();
}

void append_inter_scatter(schedule& steps, const collective_group& group, const block_buffer& blocks,
                          const data_buffer& own, int root) {
  if (root == null_process) return;
  if (root == this_rank_is_root) {
    for (int i = 0; i < group.remote_size; ++i) {
      steps.keep(blocks.type(i));
      send_some(steps, remote(i), blocks[i]);
    }
  } else {
    steps.keep(*own.type);
    receive_some(steps, remote(root), own.data());
  }
  steps.wait_all();
}

/// Each rank sends its block to all ranks of the other group: blocks of one group may have several sizes, which only
/// the other group knows.
void append_inter_allgather(schedule& steps, const collective_group& group, const data_buffer& own,
                            const block_buffer& blocks) {
  steps.keep(*own.type);
  const int all = group.remote_size;
  for (int i = 0; i < all; ++i) {
    const int source = (group.rank + i) % all;
    steps.keep(blocks.type(source));
    receive_some(steps, remote(source), blocks[source]);
  }
  for (int i = 0; i < all; ++i) send_some(steps, remote((group.rank + i) % all), own.data());
  steps.wait_all();
}

void append_inter_reduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers, int root) {
  if (root == null_process) return;
  steps.set_operation(*buffers.combined_by, *buffers.type);
  if (buffers.count == 0) return;
  const datatype& type = *buffers.type;
  if (root == this_rank_is_root) {
    steps.receive(remote(0), element_range(type, buffers.out, 0, buffers.count));
    return steps.wait_all();
  }
  const void* result = combine_at_leader(steps, team_of(group), buffers.in, buffers.count);
  if (group.rank == 0) steps.send(remote(root), element_range(type, result, 0, buffers.count));
  steps.wait_all();
}

void append_inter_allreduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers) {
  if (buffers.count == 0) return;
  const datatype& type = *buffers.type;
  const team members = team_of(group);
  const void* result = combine_at_leader(steps, members, buffers.in, buffers.count);
  const data_part out = element_range(type, buffers.out, 0, buffers.count);
  if (group.rank == 0) exchange_of_leaders(steps, element_range(type, result, 0, buffers.count), out);
  append_broadcast(steps, members, out, 0);
}

/// Both groups reduce as many elements, but cut them differently.
void append_inter_reduce_scatter(schedule& steps, const collective_group& group, const reduction_buffers& buffers,
                                 const block_bounds& bounds) {
  const datatype& type = *buffers.type;
  const std::int64_t all = bounds.back();
  if (all == 0) return;
  const auto begin = [&](int block) { return bounds[static_cast<std::size_t>(block)]; };
  const data_part out = element_range(type, buffers.out, 0, begin(group.rank + 1) - begin(group.rank));
  const void* sent = combine_at_leader(steps, team_of(group), buffers.in, all);
  if (group.rank != 0) {
    receive_some(steps, {0}, out);
    return steps.wait_all();
  }
  void* received = steps.temporary(all, type);
  exchange_of_leaders(steps, element_range(type, sent, 0, all), element_range(type, received, 0, all));
  for (int i = 1; i < group.size; ++i) send_some(steps, {i}, element_range(type, received, begin(i), begin(i + 1)));
  steps.copy(out, element_range(type, received, 0, begin(1)));
  steps.wait_all();
}

void check_root(const collective_group& group, int root) {
  const int ranks = group.is_inter() ? group.remote_size : group.size;
  const bool is_special = group.is_inter() && (root == this_rank_is_root || root == null_process);
  if ((root >= 0 && root < ranks) || is_special) return;
  throw call_error(error_class::root,
                   "the root is " + std::to_string(root) + ", but the ranks are 0 to " + std::to_string(ranks - 1));
}

}  // namespace stretto::ranks
