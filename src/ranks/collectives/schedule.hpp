// schedule.hpp - the steps of one rank in a collective, as a straight-line program.
//
// Sends and receives begin a transfer and go on; a wait suspends the program until transfers have completed; copies and
// combinations run at once. So an algorithm reads as with MPI_Isend, MPI_Irecv and MPI_Wait, and one mechanism executes
// blocking, non-blocking and persistent collectives (schedule_run.hpp).
//
// Threads     one thread at a time builds a schedule; a built one is immutable while it runs.
// Cost        a step: an entry in a vector. A cleared schedule keeps its memory: small ones then allocate nothing.
// Invariants  (1) buffers of a transfer are not used before a wait for it. (2) transfers between two ranks are begun in
//             the same order on both. (3) datatypes and operations are kept until the schedule is cleared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/data_part.hpp"

namespace stretto::ranks {

/// The group of an intercommunicator that a rank belongs to: that of this rank, or the remote one. Ranks of an
/// intracommunicator are in the local one.
enum class group_side : std::uint8_t { local, remote };

/// The other rank of a transfer.
struct peer_rank {
  int rank = 0;
  group_side side = group_side::local;
};

/// Transfers of a schedule are numbered from 0, in the order in which they are begun.
using transfer_number = std::uint32_t;

struct transfer_step {
  enum class direction : std::uint8_t { send, receive };

  direction which = direction::send;
  transfer_number number = 0;
  peer_rank peer;
  data_part data;
};

/// Waits for the transfers with the numbers from `first` to `last` - 1.
struct wait_step {
  transfer_number first = 0;
  transfer_number last = 0;
};

struct copy_step {
  data_part to;
  data_part from;
};

/// Applies the operation of the schedule: inout = in op inout.
struct combine_step {
  const void* in = nullptr;
  void* inout = nullptr;
  std::int64_t count = 0;
};

using schedule_step = std::variant<transfer_step, wait_step, copy_step, combine_step>;

class schedule {
 public:
  schedule() = default;
  schedule(const schedule&) = delete;
  schedule& operator=(const schedule&) = delete;

  /// The functions from here to combine() append steps. Transfers of no bytes are messages, too.
  transfer_number send(peer_rank to, const data_part& data);
  transfer_number receive(peer_rank from, const data_part& data);
  void wait(transfer_number number) { steps_.emplace_back(wait_step{number, number + 1}); }
  /// Waits for all transfers so far.
  void wait_all();
  /// Copies as many bytes as the smaller part has.
  void copy(const data_part& to, const data_part& from);
  void combine(const void* in, void* inout, std::int64_t count);

  /// The operation and type of all combine steps.
  void set_operation(const reduction_operation& which, const datatype& type) { combiner_.emplace(which, type); }
  const combiner& operation_of_steps() const { return *combiner_; }
  /// Whether combine steps call functions of the program: only the rank itself may advance such a schedule.
  bool calls_program() const { return combiner_ && combiner_->is_user_defined(); }
  /// Keeps a datatype, as programs may free theirs before a collective ends.
  void keep(const datatype& type);

  /// Memory that lives as long as the schedule, aligned to 64 bytes.
  std::byte* temporary(std::int64_t bytes);
  /// The same for `count` elements of a type. Returns their address as MPI counts it, which is not that of the memory
  /// if the type's data does not begin at displacement 0.
  std::byte* temporary(std::int64_t count, const datatype& type);

  const std::vector<schedule_step>& steps() const { return steps_; }
  transfer_number transfers() const { return transfers_; }
  /// Makes the schedule empty. It keeps its memory for the next one, except large temporaries.
  void clear();

 private:
  /// A block of memory for temporaries.
  struct memory_block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes = 0;  // without those that the alignment may take
  };

  void use_block(const memory_block& block);

  std::vector<schedule_step> steps_;
  transfer_number transfers_ = 0;
  transfer_number waited_ = 0;  // wait_all() has waited for those below
  std::optional<combiner> combiner_;
  std::vector<datatype_ref> types_;
  std::vector<memory_block> blocks_;
  std::byte* free_ = nullptr;  // the first free byte, in the last block
  std::size_t free_bytes_ = 0;
};

}  // namespace stretto::ranks
