// early_message.hpp - a message that came before its receive and was copied aside, into memory of the receiving rank's
// mailbox; and the pool of that memory.
//
// Threads     guarded by the mailbox's lock.
// Cost        no heap once warm, for messages up to eager_bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/data_part.hpp"
#include "ranks/messages/early_capacity.hpp"
#include "ranks/messages/queue_entry.hpp"

namespace stretto::ranks {

/// A standard send (MPI_Send) of up to so many bytes that has no receive yet copies its message aside, and is complete.
/// The limit is that of Open MPI, since programs rely on it. Between ranks of one worker, to suspend and resume the
/// sender would cost less from 3 KiB on (4 KiB: 164 ns, copied aside 188).
inline constexpr std::int64_t eager_bytes = 4096;

struct early_message final : queue_entry {
  early_message(envelope e, std::int64_t bytes_of) : queue_entry(entry_kind::early_message, e), bytes(bytes_of) {}

  std::int64_t bytes;
  /// A limit that the message counts against until it has been received: an attached buffer of its sender, or the early
  /// messages of its sender's node. Null: none.
  early_capacity* capacity = nullptr;

  std::byte* memory() { return reinterpret_cast<std::byte*>(this + 1); }
  data_part data() { return {memory(), bytes}; }
};

/// The memory of the early messages of a mailbox, in blocks of a few sizes.
class early_message_pool {
 public:
  early_message_pool() = default;
  early_message_pool(const early_message_pool&) = delete;
  ~early_message_pool();

  /// At most eager_bytes.
  early_message& make(envelope e, std::int64_t bytes);
  /// More than eager_bytes, from the heap. Needs no lock.
  static early_message& make_large(envelope e, std::int64_t bytes);
  /// A message of make() or make_large().
  void free(early_message& m);
  /// Whether most_early_bytes are used: a standard send of this node then waits for its receive.
  bool is_full() const { return used_bytes_ > static_cast<std::size_t>(most_early_bytes); }

 private:
  struct free_block {
    free_block* next;
  };
  /// The data bytes of the sizes of blocks.
  static constexpr std::array<std::int64_t, 4> block_data = {48, 432, 1968, eager_bytes};
  static constexpr std::size_t most_free_bytes = 1 << 20;

  static std::size_t class_of(std::int64_t bytes);
  static std::size_t block_bytes(std::int64_t data) { return sizeof(early_message) + static_cast<std::size_t>(data); }

  std::array<free_block*, block_data.size()> free_{};
  std::size_t free_bytes_ = 0;
  std::size_t used_bytes_ = 0;  // by messages of make()
};

}  // namespace stretto::ranks
