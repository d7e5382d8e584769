// direct_collective.hpp - performs a collective on the buffers of all ranks, which one thread can reach.
//
// The work is cut into parts that do not depend on each other: one thread performs all, or several threads claim them.
//
// Threads     parts: any, at once. The memory of all ranks must stay as it is until all parts are done.
// Cost        one copy for each rank and block; reductions read each value once, and combine in blocks that stay in the
//             first cache.
// Invariants  (1) values are combined in the order of ranks, whoever does it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "ranks/collectives/collective_call.hpp"
#include "ranks/error_class.hpp"

namespace stretto::ranks {

/// A rank in a direct collective.
struct collective_member {
  /// Throws call_error of the class op if MPI does not define the operation for the type.
  explicit collective_member(const collective_call& with);

  void note(error_class which) { error.store(static_cast<int>(which), std::memory_order_relaxed); }

  const collective_call& call;
  combiner operation;         // of reductions and scans
  std::atomic<int> error{0};  // an error_class: truncate, if a block was too small
  bool shares_block = false;  // has its block of a broadcast or scatter without a copy
};

/// The members by rank, all with the same kind and root.
class direct_collective {
 public:
  using members = std::span<collective_member* const>;

  explicit direct_collective(members all);

  std::int64_t parts() const { return parts_; }
  /// Roughly, how many bytes all parts move.
  std::int64_t bytes() const { return bytes_; }
  /// Performs a part, 0 <= part < parts(), in the name of a member: with its operation, which may be a function of its
  /// program.
  void perform(std::int64_t part, const collective_member& by) const;

 private:
  const collective_call& call_of(std::int64_t rank) const { return all_[static_cast<std::size_t>(rank)]->call; }
  int size() const { return static_cast<int>(all_.size()); }
  void share_blocks();
  void broadcast(std::int64_t part) const;
  void gather(int rank) const;
  void scatter(int rank) const;
  void allgather(int rank) const;
  void alltoall(int rank) const;
  void exchange_in_place(int rank) const;
  void reduce(std::int64_t part, const combiner& by) const;
  void reduce_and_scatter(const combiner& by) const;
  void scan(const combiner& by) const;
  void combine(const combiner& by, std::int64_t first, std::int64_t last, void* result) const;
  void give(std::int64_t rank, std::int64_t first, std::int64_t last, const void* result) const;
  void copy(collective_member& to, const data_part& into, const data_part& from) const;

  members all_;
  std::int64_t parts_ = 1, bytes_ = 0;
  std::int64_t elements_ = 0;       // of a part of a reduction
  std::int64_t part_per_rank_ = 1;  // of a broadcast
};

}  // namespace stretto::ranks
