// early_message.hpp - a message that came before its receive and was copied aside, and the memory for such messages.
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

/// A standard send copies an early message of up to so many bytes aside, and is complete. Between ranks of one worker,
/// to suspend and resume the sender instead costs less from 3 KiB on (4 KiB: 164 ns, copied aside 188). The limit is
/// that of Open MPI, since programs rely on it.
inline constexpr std::int64_t eager_bytes = 4096;

struct early_message final : queue_entry {
  early_message(envelope e, std::int64_t bytes_of) : queue_entry(entry_kind::early_message, e), bytes(bytes_of) {}

  std::int64_t bytes;
  early_capacity* capacity = nullptr;  // that it uses, besides the memory of the pool

  std::byte* memory() { return reinterpret_cast<std::byte*>(this + 1); }
  data_part data() { return {memory(), bytes}; }
};

/// The memory of the early messages of a mailbox, in blocks of a few sizes.
class early_message_pool {
 public:
  early_message_pool() = default;
  early_message_pool(const early_message_pool&) = delete;
  ~early_message_pool();

  early_message& make(envelope e, std::int64_t bytes);
  /// More than eager_bytes, from the heap. Needs no lock.
  static early_message& make_large(envelope e, std::int64_t bytes);
  void free(early_message& m);
  /// No more messages of ranks that can wait: most_early_bytes are used.
  bool is_full() const { return used_bytes_ > static_cast<std::size_t>(most_early_bytes); }

 private:
  struct free_block {
    free_block* next;
  };
  static constexpr std::array<std::int64_t, 4> block_data = {48, 432, 1968, eager_bytes};
  static constexpr std::size_t most_free_bytes = 1 << 20;

  static std::size_t class_of(std::int64_t bytes);
  static std::size_t block_bytes(std::int64_t data) { return sizeof(early_message) + static_cast<std::size_t>(data); }

  std::array<free_block*, block_data.size()> free_{};
  std::size_t free_bytes_ = 0;
  std::size_t used_bytes_ = 0;  // by messages of make()
};

}  // namespace stretto::ranks
