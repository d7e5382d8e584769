// algorithms.hpp - the algorithms that builders choose from and combine, each for the members of a team.
//
// All end with the rank's transfers completed, so that another algorithm may follow.
//
// Threads     pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ranks/collectives/team.hpp"

namespace stretto::ranks {

// Barriers
void append_barrier(schedule& steps, const team& members);

// Broadcasts of `data` from the member `root`; the tree also of no bytes
void append_tree_broadcast(schedule& steps, const team& members, const data_part& data, int root);
void append_broadcast(schedule& steps, const team& members, const data_part& data, int root);

/// Equal blocks of `bytes` bytes by a binomial tree. `own` is null where the block is in place at the root; `all` are
/// the blocks of all members, at the root.
struct tree_blocks {
  std::int64_t bytes = 0;
  const data_part* own = nullptr;
  data_part all;
};
void append_tree_gather(schedule& steps, const team& members, const tree_blocks& blocks, int root);
void append_tree_scatter(schedule& steps, const team& members, const tree_blocks& blocks, int root);

/// Each member has the block with its index from `first`; afterwards it has all. `part(i)` is where block i is.
template <typename Part>
void append_ring(schedule& steps, const team& members, int first, const Part& part) {
  // Receives that are there before the data comes: it is then copied once.
  constexpr int early_receives = 16;
  const int size = members.size, index = members.index_from(first);
  const peer_rank left = members.member_from(first, index + size - 1), right = members.member_from(first, index + 1);
  const auto block = [&](int distance) { return part((index - distance + size) % size); };
  std::array<transfer_number, early_receives> receives{};
  for (int i = 0, begun = 1; i < size - 1; ++i) {
    const data_part sent = block(i);
    if (i > 0 && sent.bytes() > 0) steps.wait(receives[static_cast<std::size_t>(i % early_receives)]);
    for (; begun < size && begun <= i + early_receives; ++begun) {
      const data_part received = block(begun);
      if (received.bytes() == 0) continue;
      receives[static_cast<std::size_t>(begun % early_receives)] = steps.receive(left, received);
    }
    if (sent.bytes() > 0) steps.send(right, sent);
  }
  steps.wait_all();
}

/// The same by recursive doubling, for teams of a power of two. `all` has blocks of `bytes` bytes, the last ones maybe
/// fewer.
void append_doubling(schedule& steps, const team& members, int first, const data_part& all, std::int64_t bytes);

/// A reduction within a team: the operation is that of the schedule.
struct team_reduction {
  const void* in = nullptr;
  void* out = nullptr;  // may be `in`; at members without a result null
  std::int64_t count = 0;
};
void append_reduce(schedule& steps, const team& members, const team_reduction& values, int root);
void append_allreduce(schedule& steps, const team& members, const team_reduction& values);

/// The in-order tree, for any operation.
void append_tree_reduce(schedule& steps, const team& members, const team_reduction& values, int root);

/// Blocks of elements: `bounds` are the first element of each block and the end of the last.
using block_bounds = std::vector<std::int64_t>;
/// `count` elements in `blocks` blocks of nearly equal length.
block_bounds equal_blocks(std::int64_t count, int blocks);

/// Values in the course of a reduction: where they are now, and memory for as many results and received ones.
struct partial_values {
  const void* current = nullptr;  // the input at first, then `result`
  void* result = nullptr;
  void* received = nullptr;
};
/// Members beyond a power of two give their values away; returns whether this rank goes on. `first` has index 0.
bool append_fold(schedule& steps, const team& members, int first, partial_values& values, std::int64_t count);
/// Recursive halving: afterwards `result` has the combined block of the rank's folded index.
void append_halving(schedule& steps, const team& members, int first, partial_values& values,
                    const block_bounds& bounds);

/// A send and a receive that both sides leave out if it has no bytes.
inline void send_some(schedule& steps, peer_rank to, const data_part& data) {
  if (data.bytes() > 0) steps.send(to, data);
}
inline void receive_some(schedule& steps, peer_rank from, const data_part& data) {
  if (data.bytes() > 0) steps.receive(from, data);
}

inline const void* element(const datatype& type, const void* elements, std::int64_t index) {
  return moved(elements, index * type.extent());
}
inline void* element(const datatype& type, void* elements, std::int64_t index) {
  return moved(elements, index * type.extent());
}
/// The elements from `first` to before `last`.
inline data_part element_range(const datatype& type, const void* elements, std::int64_t first, std::int64_t last) {
  return data_part(element(type, elements, first), last - first, type);
}

// Intercommunicators
void append_inter_barrier(schedule& steps, const collective_group& group);
void append_inter_broadcast(schedule& steps, const collective_group& group, const data_buffer& data, int root);
void append_inter_gather(schedule& steps, const collective_group& group, const data_buffer& own,
                         const block_buffer& blocks, int root);
void append_inter_scatter(schedule& steps, const collective_group& group, const block_buffer& blocks,
                          const data_buffer& own, int root);
void append_inter_allgather(schedule& steps, const collective_group& group, const data_buffer& own,
                            const block_buffer& blocks);
void append_inter_reduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers, int root);
void append_inter_allreduce(schedule& steps, const collective_group& group, const reduction_buffers& buffers);
void append_inter_reduce_scatter(schedule& steps, const collective_group& group, const reduction_buffers& buffers,
                                 const block_bounds& bounds);

/// Throws call_error of the class root.
void check_root(const collective_group& group, int root);

}  // namespace stretto::ranks
