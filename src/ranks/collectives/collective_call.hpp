// collective_call.hpp - the arguments of one rank in a collective, as values.
//
// Threads     values that refer to the caller's buffers and arrays.
#pragma once

#include "ranks/collectives/collectives.hpp"

namespace stretto::ranks {

enum class collective_kind : std::uint8_t {
  barrier,
  broadcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan
};

struct collective_call {
  collective_kind kind = collective_kind::barrier;
  int root = 0;
  data_buffer own{};           // of broadcast, gather, scatter and allgather
  block_buffer sent{};         // of scatter at the root, and of alltoall
  block_buffer received{};     // of gather at the root, of allgather and alltoall
  reduction_buffers values{};  // of reductions and scans
  number_list counts{};        // of reduce_scatter
  bool is_readonly = false;    // the root only reads what it sends from now on (heap/readonly_buffers)
  void** variable = nullptr;   // may point to the root's memory in place of a copy; null: `own` is copied

  bool combines() const { return kind >= collective_kind::reduce; }
};

/// Appends the steps of the calling rank, by the builder of its kind.
void build(schedule& steps, const collective_group& group, const collective_call& call);

}  // namespace stretto::ranks
