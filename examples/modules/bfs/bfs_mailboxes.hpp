// bfs_mailboxes.hpp - the messages of the search in symmetric memory: a ring of slots for each pair of PEs.
//
// The sender writes the discoveries into the next slot of the target, and then the number of them. The target handles
// the messages of a sender in their order, and writes to the sender how many it has handled.
#pragma once

#include "bfs_graph.hpp"

namespace graph500 {

struct mailboxes {
  static constexpr std::size_t slots = 8;
  static constexpr std::size_t most = most_discoveries;  // of a slot
  static constexpr unsigned long last = 1ul << 62;

  discovery* discoveries;  // by sender and slot
  unsigned long* filled;   // by sender and slot: 0, or 1 more than the number of discoveries, and `last` if it is that
  unsigned long* handled;  // at the sender, by target: messages that this one has handled

  static std::size_t all(int pes) { return pes * slots; }
  discovery* message_of(int from, std::size_t message) const { return discoveries + slot(from, message) * most; }
  static std::size_t slot(int pe, std::size_t message) { return pe * slots + message % slots; }
  /// How many messages must have been handled before this one may be sent.
  static unsigned long before(std::size_t message) { return message < slots ? 0 : message - slots + 1; }
  static std::size_t count(unsigned long filled_with) { return (filled_with & ~last) - 1; }
  static bool is_last(unsigned long filled_with) { return (filled_with & last) != 0; }
};

}  // namespace graph500
