// transport.hpp - active messages between the nodes of one job: a handler, a small head, and a payload that lands where the
// receiver says.
//
// Each node has one transport. A message names a handler of the receiver, which runs in the receiver's poll() with the head. A
// small payload travels with the head; a large one stays where it is until the handler has said where it shall go, and is then
// copied there without a stop between.
//
// Threads     send, and all members of payload: any thread. poll: one thread at a time; handlers and completions run inside it.
// Memory      what was written before send is seen by the handler; what was written to a payload by whoever learns that it landed.
// Invariants  (1) handlers of one sender run in the order in which it sent, each message's exactly once. (2) a completion that a
//             call took runs exactly once, with a failure or without. (3) nothing blocks: what cannot go yet is queued, and
//             held() says when a sender should hold back. (4) once a node is lost, all that was under way to or from it
//             fails with N05, and so does what is sent to it later.
// Source      active messages: von Eicken, Culler, Goldstein, Schauser, ISCA 1992; payloads by rendezvous as MPI libraries do it.
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

/// What a sender hands over. The head is copied by the call. The payload is lent until `sent` runs; without `sent`, it is
/// copied by the call, too.
struct message {
  node_number to = 0;
  handler_number handler = 0;
  std::span<const std::byte> head = {};  // at most most_head_bytes
  std::span<const std::byte> payload = {};
  places::completion* sent = nullptr;  // the payload's memory is the caller's again
  bool from_device = false;            // the payload lies in memory of a device, which takes_memory_of says can be; with `sent`
  bool is_followed = false;            // the receiver needs the next message to take the payload, which may leave behind that one; with `sent`
};

/// The payload of a message that has come, to be put somewhere once. Move-only; dropped, the payload is.
class payload {
 public:
  /// What a transport keeps of a payload that is not here yet, or of one that a handler did not look at in its time.
  class source {
   public:
    virtual ~source() = default;  // dropped, if it was not received
    virtual void receive(std::byte* target, places::completion& landed) = 0;
  };

  payload() noexcept = default;
  /// One that is here.
  explicit payload(std::span<const std::byte> here) noexcept : here_(here), bytes_(here.size()) {}
  payload(std::unique_ptr<source> from, std::uint64_t bytes) noexcept : from_(std::move(from)), bytes_(bytes) {}
  payload(payload&& other) noexcept;
  payload& operator=(payload&& other) noexcept;

  std::uint64_t bytes() const noexcept { return bytes_; }
  /// It came with its head: here() holds it, until the handler returns.
  bool is_here() const noexcept { return !from_; }
  std::span<const std::byte> here() const noexcept { return here_; }

  /// Puts it into bytes() bytes at `target`; `landed` runs when they are there, perhaps before this returns. Of what is
  /// here(): before the handler returns. Else at any time, from any thread.
  void receive(std::byte* target, places::completion& landed) &&;

 private:
  std::unique_ptr<source> from_;
  std::span<const std::byte> here_;
  std::uint64_t bytes_ = 0;
};

/// Counted since the start.
struct traffic {
  std::uint64_t sent = 0, received = 0;  // messages
  std::uint64_t bytes_sent = 0;          // heads and payloads
  std::uint64_t by_rendezvous = 0;       // of those sent
  std::uint64_t through_shared_memory = 0;       // and through memory that processes of a host share
};

/// The nodes of one host, this one included.
struct host_nodes {
  std::uint32_t self = 0, count = 1;  // its place among them, in the order of their numbers
};

class transport {
 public:
  static constexpr std::size_t most_head_bytes = 1024;

  virtual ~transport() = default;

  virtual node_number self() const noexcept = 0;
  virtual std::uint32_t nodes() const noexcept = 0;

  /// Throws N02 (no such node), N03 (no such handler) or N04 (the head is too long), and has sent nothing then.
  void send(const message& m);

  /// Makes progress and runs what has come; returns how many things it found, or 1 while something moves that goes on only in polls
  /// and should end soon; 0 if it is as well asked later. Never waits.
  virtual std::size_t poll() = 0;
  /// There may be something for poll() to find. A node to which nobody may send anything any more has nothing pending.
  virtual bool is_pending() const noexcept = 0;

  /// Whether poll() makes progress on the thread alone that made the transport; on others it finds nothing.
  virtual bool is_bound_to_thread() const noexcept { return false; }

  /// Nodes on processors of their own may send at any time, and nothing tells of it but poll(): who waits had better look for a while.
  virtual bool needs_polling() const noexcept { return false; }

  /// Bytes of copies that this node keeps until others take them. Any thread; as of a moment ago.
  virtual std::uint64_t outstanding_bytes() const noexcept = 0;

  /// Payloads may lie in memory of that driver's devices ("cuda"), and be received there unless they are here().
  virtual bool takes_memory_of(std::string_view /*driver*/) const noexcept { return false; }

  /// Threads of the program may block in calls of the library that this goes over, while others send and poll.
  virtual bool allows_blocking_calls() const noexcept { return false; }
  /// The library's own handle of all nodes, for collective calls of the group's tasks. Collective for each group, by a
  /// thread that may block. Throws N30 where there is none.
  virtual void communicator(std::uint32_t group, std::span<std::byte> handle);

  virtual traffic counted() const noexcept = 0;

  /// This node cannot go on. Other nodes learn of it, at the latest when this ends. On the thread that polls, which polls no more.
  virtual void abandon(const std::exception_ptr& /*why*/) noexcept {}

  /// The memory that all nodes lend, so many bytes each, which the transport keeps: asked for by every node, of the same number, once
  /// and before its first poll. May wait for the others. Throws N16.
  virtual window& open_window(std::uint64_t bytes) = 0;

  virtual host_nodes on_host() const noexcept { return {}; }
  /// What each node of this host says, so many bytes each, in the order of on_host: asked for by all of them, equally often, before their
  /// first poll. Waits for the others; where it cannot, as one thread may make them all, it returns false and does nothing.
  virtual bool gather_on_host(std::span<const std::byte> /*mine*/, std::span<std::byte> /*all*/) { return false; }

  /// The first node that cannot begin, told by all nodes once, before their first poll. Waits for the others; where it cannot, this node if
  /// it is one.
  virtual std::optional<node_number> first_failed(bool has_failed) { return has_failed ? std::optional(self()) : std::nullopt; }

  /// Whom to tell, inside poll(), of each node that is lost. Before the first poll.
  void on_lost(std::function<void(node_number)> told) { lost_ = std::move(told); }

 protected:
  explicit transport(const handlers& all) : handlers_(all) {}

  virtual void send_checked(const message& m) = 0;

  /// Runs the handler of a message that has come. An exception out of a handler is a defect of ours, and ends the process.
  void handle(node_number from, handler_number handler, std::span<const std::byte> head, payload&& rest) noexcept;

  void notify_lost(node_number node) const {
    if (lost_) lost_(node);
  }

  const handlers& handlers_;

 private:
  std::function<void(node_number)> lost_;
};

/// Runs `done`, with a failure or without.
inline void end(places::completion& done, std::exception_ptr failure = {}) noexcept {
  done.failure = std::move(failure);
  done.run(done);
}

/// N30: a collective part has no communicator.
error no_communicator(const std::string& why);

/// N05: `node` is lost; `what` was under way to or from it.
std::exception_ptr node_lost(node_number node, const std::string& what);

}  // namespace stretto::net
