// communicator_number.hpp - numbers that keep the messages of communicators apart, and those that a rank has free.
//
// Threads     a number_table belongs to a rank; any thread of it may call.
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

enum class communicator_number : std::uint32_t {};

/// Messages are matched by it, by their source and by their tag.
enum class context_number : std::uint32_t {};

/// The context of messages from rank to rank.
inline context_number point_to_point_context(communicator_number number) {
  return context_number(2 * static_cast<std::uint32_t>(number));
}

/// The context of messages of collective operations.
inline context_number collective_context(communicator_number number) {
  return context_number(2 * static_cast<std::uint32_t>(number) + 1);
}

/// The context of partitioned messages, which no other receive may match.
inline context_number partitioned_context(communicator_number number) {
  return context_number(1u << 31 | 2 * static_cast<std::uint32_t>(number));
}

/// The context of messages that duplicate communicators while their ranks go on (MPI_Comm_idup).
inline constexpr context_number duplication_context{1u << 31 | 1};

inline constexpr communicator_number world_number{0};
inline constexpr communicator_number self_number{1};
/// For messages that create communicators from groups, before there is a communicator.
inline constexpr communicator_number creation_number{2};

/// Numbers are in three parts, by the way in which ranks agree on them.
enum class number_part : int {
  first_round,   // chosen in the first round of an agreement
  later_rounds,  // chosen in a later one
  single         // of communicators with one rank, which agrees with nobody
};

inline constexpr std::uint32_t numbers_per_part = 4096;

/// One bit for each number of a part: set if it is free.
using number_mask = std::array<std::uint64_t, numbers_per_part / 64>;

/// The contribution of a rank to a round, combined over all ranks by a bitwise AND of its 65 numbers.
struct number_offer {
  number_mask free{};
  std::uint64_t is_held = 0;  // all bits, if the rank offers all that it has free; else it offers nothing

  friend bool operator==(const number_offer&, const number_offer&) = default;
};

/// Combines two offers: what MPI_BAND does.
number_offer combined(const number_offer& a, const number_offer& b);

/// Orders the agreements in which a rank takes part. All ranks of an agreement compute the same key.
using agreement_key = std::array<std::uint64_t, 3>;

class number_table {
 public:
  number_table();

  /// A number for a communicator that only this rank belongs to. Throws call_error(other) if none is free.
  communicator_number take_single();
  void release(communicator_number number);
  /// How many numbers are in use, with the predefined ones.
  int used() const;

 private:
  friend class number_agreement;

  static communicator_number numbered(number_part which, int place);
  const number_mask& part(number_part which) const { return free_[static_cast<std::size_t>(which)]; }
  std::uint64_t& word_of(communicator_number number);
  void take(communicator_number number);

  mutable std::mutex mutex_;
  std::array<number_mask, 3> free_;       // by part
  std::array<bool, 2> is_held_{};         // by part: an agreement offers it in its current round
  std::multiset<agreement_key> waiting_;  // agreements after their first round
};

/// The place of the lowest bit that is set; -1 if there is none.
int lowest_free(const number_mask& numbers);

}  // namespace stretto::ranks
