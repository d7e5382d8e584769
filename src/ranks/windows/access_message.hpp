// access_message.hpp - the messages by which a rank accesses the window of a rank of another node.
//
// They are messages of the window's communicator, so they need nothing of the network. An access is a header, and a
// payload if it has a datatype: the description of the type, then the origin's data, packed. Some have a reply: what a
// get returns, or the first error that accesses of the rank met since the last reply to a flush.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/messages/mailbox.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/windows/window_target.hpp"

namespace stretto::ranks {

enum class access_request : std::uint32_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,
  flush,
  lock_shared,
  lock_exclusive,
  unlock
};

struct access_header {
  access_request what{};
  std::uint32_t operation = 0;  // handle of a predefined one
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  std::int64_t type_numbers = 0;  // of the description
  std::int64_t data_bytes = 0;    // of compare_and_swap, with the expected value behind
  std::int64_t result_bytes = 0;
  std::int64_t number = 0;  // of the access, among those of the sender

  std::int64_t payload_bytes() const {
    return type_numbers * static_cast<std::int64_t>(sizeof(std::int64_t)) + data_bytes;
  }
};

/// Tags of the window's communicator; those below are of its epochs.
inline constexpr int header_tag = 8;
inline int payload_tag(std::int64_t number) { return 16 + static_cast<int>(number % (1 << 29)) * 2; }
inline int reply_tag(std::int64_t number) { return payload_tag(number) + 1; }

/// Where the messages of a window go.
struct window_channel {
  window_channel(mailbox& messages, context_number of, int self) : own(messages), context(of), rank(self) {}

  mailbox& own;
  std::vector<peer> peers;  // by rank in the window
  const context_number context;
  const int rank;

  envelope from(int source, int tag) const { return {context, source, tag}; }
  /// Sends bytes that it keeps until they are sent: a header alone, or with a payload behind it.
  void send_kept(int to, int tag, std::vector<std::byte> bytes) const;
  void send_access(int to, const access_header& header, std::vector<std::byte> payload) const;
};

}  // namespace stretto::ranks
