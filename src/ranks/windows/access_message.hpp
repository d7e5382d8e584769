// access_message.hpp - the messages by which a rank accesses the window of a rank of another node.
//
// They are messages of the window's communicator, so they need nothing of the network. An access is a header; if it has
// a datatype, its description follows, and then the origin's data. A short access is one message. Longer data is a
// message of its own, sent from the origin's memory and received in the target's. Some accesses have a reply: the data
// of a get, or the first error that accesses of the rank met since the last reply to a flush.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/messages/early_message.hpp"
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

/// A header and what travels with it have at most so many bytes: the sender's node keeps a copy of such messages.
inline constexpr std::int64_t short_access_bytes = eager_bytes;

struct access_header {
  access_request what{};
  std::uint32_t operation = 0;  // handle of a predefined one
  std::int64_t displacement = 0;
  std::int64_t count = 0;
  std::int64_t type_numbers = 0;  // of the description
  std::int64_t data_bytes = 0;    // of compare_and_swap, with the expected value behind
  std::int64_t result_bytes = 0;
  std::int64_t number = 0;  // of the access, among those of the sender

  std::int64_t type_bytes() const { return type_numbers * static_cast<std::int64_t>(sizeof(std::int64_t)); }
  bool has_type_with_it() const;
  bool has_data_with_it() const;
};

inline constexpr std::int64_t access_header_bytes = sizeof(access_header);

inline bool access_header::has_type_with_it() const { return access_header_bytes + type_bytes() <= short_access_bytes; }
inline bool access_header::has_data_with_it() const {
  return data_bytes == 0 || access_header_bytes + type_bytes() + data_bytes <= short_access_bytes;
}

/// Tags of the window's communicator; those below are of its epochs.
inline constexpr int header_tag = 8;
inline int type_tag(std::int64_t number) { return 16 + static_cast<int>(number % (1 << 28)) * 4; }
inline int data_tag(std::int64_t number) { return type_tag(number) + 1; }
inline int reply_tag(std::int64_t number) { return type_tag(number) + 2; }

/// Where the messages of a window go.
struct window_channel {
  window_channel(mailbox& messages, context_number of, int self) : own(messages), context(of), rank(self) {}

  mailbox& own;
  std::vector<peer> peers;  // by rank in the window
  const context_number context;
  const int rank;

  envelope from(int source, int tag) const { return {context, source, tag}; }
  /// Begins to send data, which may not change until the request is done; it keeps `type`.
  request_owner start_send_of(int to, int tag, const data_part& data, datatype_ref type = {}) const;
  /// Sends bytes that it keeps until they are sent.
  void send_kept(int to, int tag, std::vector<std::byte> bytes) const;
};

}  // namespace stretto::ranks
