// access_message.hpp - the messages by which a rank accesses the window of a rank of another node.
//
// They are messages of the window's communicator, so they need nothing of the network. An access is a header; if it has
// a datatype, its description follows, and then the origin's data. A short access is one message. Longer data is a
// message of its own, sent from the origin's memory and received in the target's. Some accesses have a reply with data.
//
// A header may also ask for a lock ahead of the access, and for what follows it: to unlock, and to report the first
// error that accesses of the rank met since the last report. That has a reply of its own. So an epoch of one short
// access is one message.
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

/// `description` comes ahead of an access, for checks of programs; its data is not for the window.
enum class access_request : std::uint16_t { put, get, accumulate, get_accumulate, compare_and_swap, none, description };

/// Steps that go with an access; may be combined.
namespace access_step {
inline constexpr std::uint16_t lock_shared = 1;
inline constexpr std::uint16_t lock_exclusive = 2;
inline constexpr std::uint16_t unlock = 4;
inline constexpr std::uint16_t report = 8;
}  // namespace access_step

/// A header and what travels with it have at most so many bytes: the sender's node keeps a copy of such messages.
inline constexpr std::int64_t short_access_bytes = eager_bytes;

struct access_header {
  access_request what = access_request::none;
  std::uint16_t steps = 0;
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
  bool has(int some_steps) const { return (steps & some_steps) != 0; }
  bool has_lock() const { return has(access_step::lock_shared | access_step::lock_exclusive); }
  /// Whether a reply says that the steps are done.
  bool has_reply_to_steps() const { return has(access_step::report) || (has_lock() && !has(access_step::unlock)); }
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
inline int reply_tag(std::int64_t number) { return type_tag(number) + 2; }  // the data of a get
inline int steps_tag(std::int64_t number) { return type_tag(number) + 3; }  // the reply to steps: an error class

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
