// transport.hpp - active messages between the nodes of one job: a handler, a small head, and a payload whose target the
// receiver chooses.
//
// Each node has one transport. A message names a handler of the receiver, which runs in the receiver's poll() with the
// head. A small payload travels with the head. A large one stays with the sender until the handler has chosen its
// target, and is then copied there directly.
//
// Threads     send, and all members of payload: any thread. poll: one thread at a time; handlers and completions run
//             inside it.
// Memory      the handler sees what was written before send(). The completion of a receive sees the whole payload.
// Invariants  (1) handlers for messages of one sender run in the order of sending, each exactly once. (2) a completion
//             that a call took runs exactly once, with a failure or without. (3) nothing blocks: messages that cannot
//             be sent yet are queued, and outstanding_bytes() tells a sender when to pause. (4) once a node has failed,
//             every transfer to or from it fails with N05, and so does every later message to it.
// Source      active messages: von Eicken, Culler, Goldstein, Schauser, ISCA 1992; payloads by rendezvous as MPI
//             libraries do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/handlers.hpp"
#include "net/window.hpp"
#include "platform/work_item.hpp"

namespace stretto {
class error;
}

namespace stretto::net {

/// A message to send. The call copies the head. The payload is lent until `sent` runs; without `sent`, the call copies
/// it, too.
struct message {
  node_number to = 0;
  handler_number handler = 0;
  std::span<const std::byte> head = {};  // at most most_head_bytes
  std::span<const std::byte> payload = {};
  places::completion* sent = nullptr;  // runs when the payload's memory belongs to the caller again
  // The payload lies in memory of a device, for which takes_memory_of is true. Requires `sent`.
  bool from_device = false;
  // The receiver needs the next message to take the payload, so the payload may be sent after it. Requires `sent`.
  bool is_followed = false;
};

/// The payload of a received message, to be received into memory once. Move-only; its destruction drops the payload.
class payload {
 public:
  /// The state of a payload that is not here(): it has not arrived yet, or its handler has set it aside.
  class source {
   public:
    virtual ~source() = default;  // dropped, if it was not received
    virtual void receive(std::byte* target, places::completion& landed) = 0;
  };

  payload() noexcept = default;
  /// A payload that has arrived with its head.
  explicit payload(std::span<const std::byte> here) noexcept : here_(here), bytes_(here.size()) {}
  payload(std::unique_ptr<source> from, std::uint64_t bytes) noexcept : from_(std::move(from)), bytes_(bytes) {}
  payload(payload&& other) noexcept;
  payload& operator=(payload&& other) noexcept;

  std::uint64_t bytes() const noexcept { return bytes_; }
  /// The payload came with its head: here() holds it until the handler returns.
  bool is_here() const noexcept { return !from_; }
  std::span<const std::byte> here() const noexcept { return here_; }

  /// Copies the payload to bytes() bytes at `target`; `landed` runs when they are there, perhaps before this returns.
  /// If is_here(), call it before the handler returns; else at any time, from any thread.
  void receive(std::byte* target, places::completion& landed) &&;

 private:
  std::unique_ptr<source> from_;
  std::span<const std::byte> here_;
  std::uint64_t bytes_ = 0;
};

/// Counted since the start.
struct traffic {
  std::uint64_t sent = 0, received = 0;     // messages
  std::uint64_t bytes_sent = 0;             // heads and payloads
  std::uint64_t by_rendezvous = 0;          // of those sent
  std::uint64_t through_shared_memory = 0;  // of those sent, payloads through memory shared with the receiver
};

/// The nodes of one host, this one included.
struct host_nodes {
  std::uint32_t self = 0, count = 1;  // this node's position among them, in the order of node numbers
};

class transport {
 public:
  static constexpr std::size_t most_head_bytes = 1024;

  virtual ~transport() = default;

  virtual node_number self() const noexcept = 0;
  virtual std::uint32_t nodes() const noexcept = 0;

  /// Throws N02 (no such node), N03 (no such handler) or N04 (head too long), and then sends nothing.
  void send(const message& m);

  /// Makes progress and runs handlers and completions; returns how many it ran. Returns 1 if it ran none, but a
  /// transfer that progresses only in polls should end soon; 0 if the next poll may come later. Never waits.
  virtual std::size_t poll() = 0;
  /// Whether poll() may find something.
  virtual bool is_pending() const noexcept = 0;

  /// Whether poll() makes progress only on the thread that made the transport.
  virtual bool is_bound_to_thread() const noexcept { return false; }

  /// True if messages are found only by poll(): an idle worker should spin before it sleeps.
  virtual bool needs_polling() const noexcept { return false; }

  /// Bytes of copies that this node keeps until receivers take them. Any thread; may be slightly out of date.
  virtual std::uint64_t outstanding_bytes() const noexcept = 0;

  /// Whether payloads may lie in memory of that driver's devices ("cuda"), and be received there unless is_here().
  virtual bool takes_memory_of(std::string_view /*driver*/) const noexcept { return false; }

  /// Whether threads of the program may block in calls of the underlying library while others send and poll.
  virtual bool allows_blocking_calls() const noexcept { return false; }
  /// Copies the underlying library's communicator of all nodes, for collective calls by the group's tasks. Collective
  /// for each group, by a thread that may block. Throws N30 if there is none.
  virtual void communicator(std::uint32_t group, std::span<std::byte> handle);

  virtual traffic counted() const noexcept = 0;

  /// This node cannot continue. The other nodes are notified, at the latest when the transport is destroyed. Called by
  /// the polling thread, which polls no more.
  virtual void abandon(const std::exception_ptr& /*why*/) noexcept {}

  /// The window with so many bytes of each node; the transport owns it. Every node calls this once, with the same
  /// number, before its first poll. May wait for the other nodes. Throws N16.
  virtual window& open_window(std::uint64_t bytes) = 0;

  virtual host_nodes on_host() const noexcept { return {}; }
  /// Gathers equally many bytes of each node of this host, in the order of on_host. All of them call it equally often,
  /// before their first poll, and it waits for the others. Transports that cannot wait, since one thread may run
  /// several nodes, return false and do nothing.
  virtual bool gather_on_host(std::span<const std::byte> /*mine*/, std::span<std::byte> /*all*/) { return false; }

  /// The first node that failed to start. All nodes call it once, before their first poll, and it waits for the others.
  /// Transports that cannot wait return this node if it has failed.
  virtual std::optional<node_number> first_failed(bool has_failed) {
    return has_failed ? std::optional(self()) : std::nullopt;
  }

  /// Sets the function that poll() calls for each failed node. To be called before the first poll.
  void on_lost(std::function<void(node_number)> f) { lost_ = std::move(f); }
  /// Sets the function that poll() calls for each message whose handler this node does not have. To be called before
  /// the first poll. Without it such a message ends the process.
  void on_unknown_handler(std::function<void(node_number from, handler_number handler)> f) { unknown_ = std::move(f); }
  /// The same for each message that its handler, of that name, could not read.
  void on_malformed(std::function<void(node_number from, std::string_view handler)> f) { malformed_ = std::move(f); }

 protected:
  explicit transport(const handlers& all) : handlers_(all) {}

  virtual void send_checked(const message& m) = 0;

  /// Runs the handler of a received message. An exception that leaves a handler is a defect of ours and ends the
  /// process.
  void handle(node_number from, handler_number handler, std::span<const std::byte> head, payload&& rest) noexcept;

  void notify_lost(node_number node) const {
    if (lost_) lost_(node);
  }

  const handlers& handlers_;

 private:
  void handle_unknown(node_number from, handler_number handler) const;
  void handle_malformed(node_number from, handler_number handler) const;

  std::function<void(node_number)> lost_;
  std::function<void(node_number, handler_number)> unknown_;
  std::function<void(node_number, std::string_view)> malformed_;
};

/// Runs `done`, with a failure or without.
inline void end(places::completion& done, std::exception_ptr failure = {}) noexcept {
  done.failure = std::move(failure);
  done.run(done);
}

/// The error N30: a collective task has no communicator.
error no_communicator(const std::string& why);

/// The error N05: `node` has failed; `what` was in transfer to or from it.
std::exception_ptr node_lost(node_number node, const std::string& what);

}  // namespace stretto::net
