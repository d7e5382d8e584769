// channel_traffic.hpp - large payloads between processes of a host, through shared memory instead of MPI
// (net/shared_memory_channels.hpp).
//
// With the first large payload to a node, this node sends it the address of its channels. Once that node has mapped
// them, large payloads use a channel if one is free; otherwise MPI carries them.
//
// Threads     receive: any. copy_in: the thread that took the channel. The rest: the thread that holds the transport's
//             lock.
// Invariants  (1) a completion that a call took runs once, or is returned by end_all. (2) nothing blocks.
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

#include "net/mpi/packet.hpp"
#include "net/mpi/transfer_activity.hpp"
#include "net/shared_memory_channels.hpp"
#include "net/transport.hpp"

namespace stretto::net::mpi {

class channel_traffic {
 public:
  /// `bytes`: memory of this node's channels. With 0 it has none, but still receives through channels of others.
  channel_traffic(std::uint32_t nodes, std::uint64_t bytes, std::mutex& transport_lock, transfer_activity& activity);

  /// The address of this node's channels, which the caller must send to `to`. Nothing from the second call for this
  /// node on, or if there are no channels.
  std::optional<channels_address> address_to_send(node_number to);
  /// Maps the channels of `from`, which has sent their address. False if they cannot be mapped.
  bool map_channels_of(node_number from, const channels_address& there);
  /// Records the reply of `to`: it has mapped the channels of this node, or cannot.
  void on_address_reply(node_number to, bool has_found) noexcept {
    peers_[to].mapping = has_found ? mapping_state::mapped : mapping_state::not_mapped;
  }

  /// Takes a free channel for a payload to that node.
  std::optional<std::uint32_t> take(node_number to);
  std::size_t copy_in(std::uint32_t channel, std::span<const std::byte> payload) noexcept {
    return own_->copy_in(channel, payload);
  }
  /// To be called after the first copy_in of a payload, which has copied `done` bytes. If these are all, adds `sent` to
  /// `ended`. Otherwise advance() copies the rest.
  void continue_copy(std::uint32_t channel, std::span<const std::byte> payload, std::size_t done,
                     places::completion* sent, std::vector<places::completion*>& ended);

  /// Defers the copy of a payload until the next message has been sent.
  void defer(std::uint32_t channel, std::span<const std::byte> payload, places::completion* sent) {
    deferred_.push_back({channel, payload, {}, sent});
  }
  /// A payload that has not been copied into its channel completely.
  struct outgoing {
    std::uint32_t channel;
    std::span<const std::byte> left;
    std::vector<std::byte> copied;  // owns `left`, if there is no `sent`
    places::completion* sent;
  };
  /// Takes the first deferred payload, if any; the caller must call copy_in and continue_copy. advance() copies
  /// deferred payloads that nobody has taken.
  std::optional<outgoing> take_deferred();

  /// The source of a payload in a channel of `from`, for the handler of its message.
  std::unique_ptr<payload::source> source_of(node_number from, const channel_note& note);

  /// Copies in and out as much as possible now.
  void advance(std::vector<places::completion*>& ended) {
    if (!deferred_.empty()) outgoing_.splice(outgoing_.end(), deferred_);
    if (!incoming_.empty()) advance_incoming(ended);
    if (!outgoing_.empty()) advance_outgoing(ended);
  }
  /// True if payloads are in transfer, also one that its receiver does not request.
  bool is_moving() const noexcept { return !outgoing_.empty() || !incoming_.empty() || !deferred_.empty(); }
  /// True if no payload is being received, none is deferred, and no receiver has begun to copy out an incomplete one.
  bool is_empty() const noexcept;
  /// Returns the completions of all transfers that have not ended and never will.
  void end_all(std::vector<places::completion*>& all);

  /// Bytes of payload copies. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }

 private:
  class channel_source;
  enum class mapping_state : std::uint8_t { not_sent, sent, mapped, not_mapped };
  struct peer {
    mapping_state mapping = mapping_state::not_sent;  // of this node's channels: address sent, mapped by the peer
    std::unique_ptr<peer_channels> channels;          // of the peer; null: not mapped
  };
  struct incoming {
    peer_channels* from;
    std::uint32_t channel;
    std::byte* target;
    std::uint64_t copied_bytes, bytes;
    places::completion* landed;
  };

  void advance_incoming(std::vector<places::completion*>& ended);
  void advance_outgoing(std::vector<places::completion*>& ended);
  void finish_outgoing(const outgoing& o, std::vector<places::completion*>& ended);

  const std::uint64_t bytes_;
  std::mutex& lock_;
  transfer_activity& activity_;
  bool has_tried_to_make_ = false;
  std::unique_ptr<own_channels> own_;
  std::vector<peer> peers_;
  std::list<outgoing> outgoing_, deferred_;
  std::list<incoming> incoming_;
  std::atomic<std::uint64_t> outstanding_bytes_{0};
};

}  // namespace stretto::net::mpi
