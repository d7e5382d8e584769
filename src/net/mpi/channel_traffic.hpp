// lane_traffic.hpp - the large payloads that a transport over MPI passes through lanes (net/shared_memory_channels.hpp), to and from processes of its host.
//
// With the first large payload to a node this one introduces itself. Once that node has found its lanes, large payloads go through them, as long
// as one is free; others go by MPI as before.
//
// Threads     receive: any. copy_in: the thread that took the lane. All else: whoever holds the transport's lock.
// Invariants  (1) a completion that a call took runs once, or is in what end_all gives back. (2) nothing blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "net/shared_memory_channels.hpp"
#include "net/mpi/transfer_activity.hpp"
#include "net/mpi/packet.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

class channel_traffic {
 public:
  /// `bytes` for this node's lanes; 0: it has none, and goes through those of others all the same.
  channel_traffic(std::uint32_t nodes, std::uint64_t bytes, std::mutex& of_transport, transfer_activity& activity);

  /// What `to` has to be told, once; nothing: it has been, or there are no lanes.
  std::optional<channels_address> introduce(node_number to);
  /// `from` has introduced itself: whether this node finds its lanes.
  bool meet(node_number from, const channels_address& there);
  /// `to` has found the lanes of this node, or never will.
  void met(node_number to, bool has_found) noexcept { peers_[to].finds = has_found ? finding::found : finding::not_found; }

  /// A lane to that node, for a payload.
  std::optional<std::uint32_t> take(node_number to);
  std::size_t copy_in(std::uint32_t channel, std::span<const std::byte> payload) noexcept { return own_->copy_in(channel, payload); }
  /// Behind the first copy_in, which has done `done` bytes of the payload. Who learns that it has all gone is in `ended`, if not later.
  void go_on(std::uint32_t channel, std::span<const std::byte> payload, std::size_t done, places::completion* sent,
             std::vector<places::completion*>& ended);

  /// The same of one that is to leave behind the next message, of which nothing has been copied in.
  void put_off(std::uint32_t channel, std::span<const std::byte> payload, places::completion* sent) { put_off_.push_back({channel, payload, {}, sent}); }
  /// What was put off goes on in advance() or by whoever takes it, and calls copy_in and go_on.
  struct outgoing {
    std::uint32_t channel;
    std::span<const std::byte> left;
    std::vector<std::byte> copied;
    places::completion* sent;
  };
  std::optional<outgoing> take_put_off();

  /// What a handler holds of a payload in a lane of `from`.
  std::unique_ptr<payload::source> offered(node_number from, const channel_note& note);

  /// Copies in and out what can be.
  void advance(std::vector<places::completion*>& ended) {
    if (!put_off_.empty()) going_.splice(going_.end(), put_off_);
    if (!coming_.empty()) advance_coming(ended);
    if (!going_.empty()) advance_going(ended);
  }
  /// Payloads are on their way. What is left of one that another node has not asked for may stay so.
  bool is_moving() const noexcept { return !going_.empty() || !coming_.empty() || !put_off_.empty(); }
  /// Nothing is left that another node waits for, or this one.
  bool is_empty() const noexcept;
  /// What has not gone or come: never will.
  void end_all(std::vector<places::completion*>& all);

  /// Bytes of copies. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }

 private:
  class channel_source;
  enum class finding : std::uint8_t { not_asked, asked, found, not_found };
  struct peer {
    finding finds = finding::not_asked;  // this node's lanes
    std::unique_ptr<peer_channels> channels;
  };
  struct incoming {
    peer_channels* from;
    std::uint32_t channel;
    std::byte* target;
    std::uint64_t got, bytes;
    places::completion* landed;
  };

  void advance_coming(std::vector<places::completion*>& ended);
  void advance_going(std::vector<places::completion*>& ended);
  void has_gone(const outgoing& o, std::vector<places::completion*>& ended);

  const std::uint64_t bytes_;
  std::mutex& lock_;
  transfer_activity& activity_;
  bool has_tried_ = false;
  std::unique_ptr<own_channels> own_;
  std::vector<peer> peers_;
  std::list<outgoing> going_, put_off_;
  std::list<incoming> coming_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};
};

}  // namespace stretto::net::mpi
