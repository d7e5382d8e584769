// messages.hpp - messages to mobile objects. A local message is the body of a task that its sender has made; a remote
// message is what goes over the network.
//
// A message has a sequence number among the messages of its node to its object, from 0 on. The object orders messages
// by it and drops duplicates. A remote message also has a request number, under which its sender waits for the reply.
//
// Threads     One thread at a time uses a message.
// Invariants  (1) Local messages lie in task records of this node's scheduler, remote ones in recycled memory. (2) A
//             remote message stores up to max_inline_bytes of arguments itself.
#pragma once

#include <stretto/mobile.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dist/back_pressure.hpp"
#include "dist/job.hpp"
#include "mobile/object_id.hpp"
#include "mobile/reply_aggregation.hpp"
#include "sched/task_record.hpp"

namespace stretto::mobiles {

using detail::message;
using detail::message_action;
using dist::rank;

/// Counts the migrations of an object, from 1 where it was made; 0: unknown.
enum class migration_epoch : std::uint32_t {};
inline constexpr migration_epoch unknown_epoch{0}, first_epoch{1};

inline constexpr std::size_t max_name_bytes = 255;  // of a message or an object, in messages
inline constexpr rank no_rank = std::numeric_limits<rank>::max();

/// The route of a remote message so far.
struct routing_state {
  migration_epoch epoch = {};  // the object is at the receiver, or will arrive, since that migration; 0: unknown
  rank avoid = no_rank;        // a node that the sender has lost
  std::uint8_t hops = 0;
  bool pins_object = false;  // the home node blocks migration until the receiver confirms this message
};

/// The fields of a message that have a fixed size, as other nodes receive them: one block, because they cost each
/// message.
struct message_header {
  object_id object = {};
  std::uint64_t number = 0, request = 0, answered_below = 0;
  std::uint64_t function = 0, where = 0;  // as encoded constants
  migration_epoch epoch = {};
  rank from = 0, target = 0, avoid = no_rank;
  message_action action = message_action::handle;
  std::int8_t priority = 0;
  std::uint8_t hops = 0, pins_object = 0;
  std::uint16_t unused = 0;  // 0; without it, the block would have a gap
};

struct remote_message : message {
  remote_message() noexcept { is_remote = 1; }
  /// A received message, without name and arguments.
  remote_message(const message_header& h, const std::source_location& line) noexcept
      : object(h.object),
        from(h.from),
        request(h.request),
        answered_below(h.answered_below),
        function(h.function),
        target(h.target),
        priority(h.priority),
        where(line),
        routing{h.epoch, h.avoid, h.hops, h.pins_object != 0} {
    number = h.number;
    action = static_cast<std::uint64_t>(h.action);
    is_remote = 1;
  }

  object_id object = {};
  rank from = 0;                     // sending node
  std::uint64_t request = 0;         // 0: no reply is wanted
  std::uint64_t answered_below = 0;  // all messages of that node to this object with lower numbers have a reply
  std::uint64_t function = 0;        // the message_type, as an encoded constant
  rank target = 0;                   // of a migration
  std::int8_t priority = 0;
  std::source_location where;
  std::string name;
  detail::parcel arguments;                        // of this node; the bytes are here unless they are stored inline
  std::shared_ptr<const std::byte> received = {};  // argument bytes that lie elsewhere; null: none do
  std::uint64_t received_bytes = 0;                // number of these, or of inline bytes
  failure_ref refused = {};  // a node lacked memory for it: only its number is forwarded, and no handler runs
  routing_state routing;
  dist::back_pressure::share memory = {};
  reply_aggregation::share reply_share = {};  // its reply is aggregated with others; empty: a reply of its own

  static constexpr std::size_t max_inline_bytes = 64;
  std::span<const std::byte> bytes() const noexcept {
    if (!received_bytes) return arguments.bytes;
    return {received ? received.get() : inline_bytes_, received_bytes};
  }
  void set_arguments(detail::parcel&& all);
  /// Copies them.
  void set_received_arguments(std::span<const std::byte> bytes) {
    if (bytes.size() <= max_inline_bytes) store_inline(bytes);
    else arguments.bytes.assign(bytes.begin(), bytes.end());
  }
  /// At most max_inline_bytes.
  void store_inline(std::span<const std::byte> bytes) noexcept {
    if (!bytes.empty()) std::memcpy(inline_bytes_, bytes.data(), bytes.size());
    received_bytes = bytes.size();
  }
  message_action action_taken() const noexcept { return static_cast<message_action>(action); }

  // Recycles memory, because floods create and delete many messages.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* at) noexcept;

 private:
  std::byte inline_bytes_[max_inline_bytes];
};

/// A local message that migrates its object; no task runs it.
struct local_migration : message {
  explicit local_migration(rank r) noexcept : message(nullptr, message_action::migrate), target(r) {}
  rank target;
};

inline sched::task_record& record_of(message& local) noexcept {
  return *reinterpret_cast<sched::task_record*>(reinterpret_cast<std::byte*>(&local) - detail::storage_offset);
}
inline message& message_in(sched::task_record& r) noexcept { return *static_cast<message*>(r.storage()); }
inline bool reads(const message& msg) noexcept { return msg.type && msg.type->reads; }
inline message_action action_of(const message& msg) noexcept { return static_cast<message_action>(msg.action); }

/// A message that its sender keeps until the reply; other nodes may send copies meanwhile.
std::shared_ptr<remote_message> make_remote_message();

/// `node` is this node: it names a source line that cannot be encoded.
message_header header_of(const remote_message& msg, const routing_state& routing, std::uint16_t node);
/// A message without arguments. `node` is the sender of the header: it names a source line that cannot be decoded.
std::unique_ptr<remote_message> from_header(const message_header& header, std::string_view name, std::uint16_t node);

/// The remote form of a local message; the body of the local one stays as it is.
std::shared_ptr<remote_message> to_remote(message& local, object_id object, rank self, detail::parcel&& arguments);
/// Of a local message.
detail::parcel arguments_of(const message& local);
/// Drops the body of a local message that has been copied to a remote one; from now on the remote one is sent, even if
/// the object has arrived meanwhile. Returns the function that reads its value.
inline detail::value_reader drop_local_body(sched::task_record& r) noexcept {
  const message& local = message_in(r);
  const detail::value_reader read = local.type ? local.type->read_value : nullptr;
  r.drop_body();
  return read;
}

/// The constant at that address of this program; null if there is none.
const detail::message_type* message_type_at(std::uint64_t bits);
const detail::mobile_type* mobile_type_at(std::uint64_t bits);

}  // namespace stretto::mobiles
