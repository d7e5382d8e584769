// number_agreement.hpp - how the ranks of a new communicator agree on its number.
//
// The ranks combine their masks of free numbers by a bitwise AND (an allreduce) and take the lowest that all have free.
// Threads of a rank, and nonblocking duplications, may have several agreements at once; the same number must not be
// offered in two of them. So one agreement at a time holds a part of the numbers, and the others offer nothing:
//
//   - In its first round an agreement holds the first part if that is free.
//   - It may fail, since some rank had given that part to another agreement. Later rounds use another part, which a
//     rank gives to the agreement with the lowest key of those that are in a later round.
//
// An agreement in a later round knows that all its ranks have entered it. So what holds the part of later rounds never
// waits for a rank that is yet to call, and the agreement with the lowest key of all gets a number.
//
// Threads     one thread at a time uses an agreement; agreements of a rank are independent.
// Cost        usually one round, an allreduce of 520 bytes.
// Source      context ids of MPICH: Gropp, Lusk et al.; the two kinds of rounds are theirs, the parts are ours.
#pragma once

#include <cstdint>

#include "ranks/communicators/communicator_number.hpp"
#include "ranks/communicators/group.hpp"

namespace stretto::ranks {

/// Of a call that is collective over a communicator; `call` counts such calls on it.
agreement_key key_of_collective(communicator_number parent, std::uint32_t call);
/// Of MPI_Comm_create_group, which is collective over a group; its tag distinguishes calls.
agreement_key key_of_group(communicator_number parent, int tag);

/// One side of a new intercommunicator. The ranks of a side have agreed on a number for their side before.
struct intercommunicator_side {
  communicator_number local{};
  world_rank leader{};
};

agreement_key key_of_sides(const intercommunicator_side& one, const intercommunicator_side& other);

enum class agreement_outcome { agreed, another_round, exhausted };

/// One rank's part. While the outcome is another_round: contribute start_round(), combine over all ranks, end_round().
class number_agreement {
 public:
  number_agreement(number_table& table, const agreement_key& key) : table_(&table), key_(key) {}
  number_agreement(const number_agreement&) = delete;
  number_agreement& operator=(const number_agreement&) = delete;
  ~number_agreement();

  number_offer start_round();
  /// All ranks pass the same combined offer and get the same outcome.
  agreement_outcome end_round(const number_offer& combined);
  /// The number, reserved in this rank's table; once agreed.
  communicator_number number() const { return number_; }

 private:
  void leave();

  number_table* table_;
  agreement_key key_;
  number_part part_ = number_part::first_round;
  bool is_holding_ = false;
  communicator_number number_{};
};

}  // namespace stretto::ranks
