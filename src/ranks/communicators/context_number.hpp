// context_number.hpp - numbers that keep the messages of communicators apart, and those that a rank has free.
//
// Threads     a context_table belongs to a rank; any thread of it may call.
// Cost        reserving and releasing: one bit; an offer: 520 bytes.
// Invariants  (1) of the communicators that a rank belongs to, no two have the same number. Communicators without a
//             common rank may.
//             (2) a number is released when the rank can receive no more messages of its communicator: after it freed
//             the communicator and its pending operations are complete. Then the rank's offers contain it again.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <set>

namespace stretto::ranks {

/// A communicator sends messages from rank to rank with the context 2 * number, those of collectives with 2 * number
/// + 1.
enum class context_number : std::uint32_t {};

inline constexpr context_number world_context{0};
inline constexpr context_number self_context{1};
/// For messages that create communicators from groups, before there is a communicator.
inline constexpr context_number group_context{2};

/// Numbers are in three parts, by the way in which ranks agree on them.
enum class context_part : int {
  first_round,   // chosen in the first round of an agreement
  later_rounds,  // chosen in a later one
  single         // of communicators with one rank, which agrees with nobody
};

inline constexpr std::uint32_t contexts_per_part = 4096;

/// One bit for each number of a part: set if it is free.
using context_mask = std::array<std::uint64_t, contexts_per_part / 64>;

/// The contribution of a rank to a round, combined over all ranks by a bitwise AND of its 65 numbers.
struct context_offer {
  context_mask free{};
  std::uint64_t is_held = 0;  // all bits, if the rank offers all that it has free; else it offers nothing

  friend bool operator==(const context_offer&, const context_offer&) = default;
};

/// Combines two offers: what MPI_BAND does.
context_offer combined(const context_offer& a, const context_offer& b);

/// Orders the agreements in which a rank takes part. All ranks of an agreement compute the same key.
using agreement_key = std::array<std::uint64_t, 3>;

class context_table {
 public:
  context_table();

  /// A number for a communicator that only this rank belongs to. Throws call_error(other) if none is free.
  context_number take_single();
  void release(context_number number);
  /// How many numbers are in use, with the predefined ones.
  int used() const;

 private:
  friend class context_agreement;

  static context_number numbered(context_part which, int place);
  const context_mask& part(context_part which) const { return free_[static_cast<std::size_t>(which)]; }
  std::uint64_t& word_of(context_number number);
  void take(context_number number);

  mutable std::mutex mutex_;
  std::array<context_mask, 3> free_;      // by part
  std::array<bool, 2> is_held_{};         // by part: an agreement offers it in its current round
  std::multiset<agreement_key> waiting_;  // agreements after their first round
};

/// The place of the lowest bit that is set; -1 if there is none.
int lowest_free(const context_mask& numbers);

}  // namespace stretto::ranks
