// messages.hpp - what is sent to a mobile object: near, as the body of a task that its sender has made; far, as what goes over the wire.
//
// A letter has a number among those of its node to its object, from 0 on, by which the object puts them in order and knows what comes
// twice. A far one is called by its node, too: its request, under which the answer is waited for.
//
// Threads     one at a time has a letter.
// Invariants  (1) near letters lie in records of this node's scheduler, far ones in memory that is recycled. (2) far ones hold few bytes of
//             arguments themselves.
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
#include <vector>

#include "dist/back_pressure.hpp"
#include "dist/job.hpp"
#include "mobile/reply_aggregation.hpp"
#include "sched/task_record.hpp"

namespace stretto::mobiles {

using detail::message;
using detail::message_action;
using dist::rank;
using object_id = std::uint64_t;

inline constexpr std::size_t max_name_bytes = 255;  // of a letter or an object, in messages
inline constexpr rank no_rank = std::numeric_limits<rank>::max();

/// How a far letter has come so far.
struct routing_state {
  std::uint32_t epoch = 0;  // the object is where this goes, or will be: since that move of it. 0: nobody knows
  rank avoid = no_rank;      // a node that the sender has lost
  std::uint8_t hops = 0;
  bool pins_object = false;   // the object stays until the receiver has said that this has come
};

struct remote_message : message {
  remote_message() noexcept { is_remote = 1; }

  object_id object = 0;
  rank from = 0;                // whose it is
  std::uint64_t request = 0;    // 0: no answer is wanted
  std::uint64_t answered_below = 0;   // all of that node to this object with lower numbers have been
  std::uint64_t function = 0;   // the letter_type as a constant that travels
  rank target = 0;              // of a migration
  std::int8_t priority = 0;
  std::source_location where;
  std::string name;
  detail::parcel arguments;     // of this node; their bytes, and those that have come, are here only where they are not few
  std::shared_ptr<const std::byte> received = {};  // many that have come, which lie elsewhere
  std::uint64_t received_bytes = 0;                // or few
  failure_ref refused = {};     // a node had no room for it: only its number goes on, and nobody handles it
  routing_state routing;
  dist::back_pressure::share memory = {};
  reply_aggregation::share reply_share = {};  // its answer goes with those of others; empty: by itself

  static constexpr std::size_t max_inline_bytes = 64;
  std::span<const std::byte> bytes() const noexcept {
    if (!received_bytes) return arguments.bytes;
    return {received ? received.get() : inline_bytes_, received_bytes};
  }
  void set_arguments(detail::parcel&& all);
  /// At most most_few of them.
  void store_inline(std::span<const std::byte> bytes) noexcept {
    if (!bytes.empty()) std::memcpy(inline_bytes_, bytes.data(), bytes.size());
    received_bytes = bytes.size();
  }
  message_action action_taken() const noexcept { return static_cast<message_action>(action); }

  // Floods of them come and go: their memory serves again.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* at) noexcept;

 private:
  std::byte inline_bytes_[max_inline_bytes];
};

/// A near letter that moves its object, which no task runs.
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

/// One that its sender keeps until it is answered, and others may send meanwhile.
std::shared_ptr<remote_message> make_remote_message();
/// Less what refused it. `node` is this one, or whoever has sent the message: for lines that cannot be found.
void write(dist::writer& to, const remote_message& msg, const routing_state& routing, std::uint16_t node);
std::unique_ptr<remote_message> read_message(dist::reader& from, std::uint16_t node);
/// The same less the arguments, which `written` is the size of.
void write_header(dist::writer& to, const remote_message& msg, const routing_state& routing, std::uint16_t node);
std::unique_ptr<remote_message> read_header(dist::reader& from, std::uint16_t node, std::uint64_t& written);
/// What a near letter is once it has to travel; its body stays as it is.
std::shared_ptr<remote_message> to_remote(message& local, object_id object, rank self, detail::parcel&& arguments);
/// Of a near one.
detail::parcel arguments_of(const message& local);
/// A near letter that has been copied so is a far one from now on, though its object may have come meanwhile: its body goes. Returns what
/// reads its value.
inline detail::value_reader drop_local_body(sched::task_record& r) noexcept {
  const message& local = message_in(r);
  const detail::value_reader read = local.type ? local.type->read_value : nullptr;
  r.drop_body();
  return read;
}

/// The first words of an object that moves.
struct migration_header {
  static constexpr std::uint8_t not_retained = 0, retained = 1;
  migration_header() = default;
  explicit migration_header(dist::reader& from);
  void write(dist::writer& to) const;

  bool is_retained = false;  // where it comes from, until it is here
  bool is_constructed = false;
  std::uint32_t epoch = 0;
  object_id id = 0;
  std::uint64_t type = 0, along = 0;  // the mobile_type, and what goes along (data::keep_for)
  std::uint64_t parts = 0;            // the number of those that have gone ahead; 0: none
  std::string name;
};

/// The constant that lies there, if it is one of this program's.
const detail::message_type* message_type_at(std::uint64_t bits);
const detail::mobile_type* mobile_type_at(std::uint64_t bits);

}  // namespace stretto::mobiles
