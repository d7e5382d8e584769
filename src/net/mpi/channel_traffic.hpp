// channel_traffic.hpp - the large payloads that a transport over MPI sends to and receives from processes of its host
// through shared memory (net/shared_memory_channels.hpp).
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

  /// The address that `to` must be sent, once. Nothing if it has been sent or there are no channels.
  std::optional<channels_address> address_to_send(node_number to);
  /// `from` has sent its address: maps its channels; whether that worked.
  bool map_channels_of(node_number from, const channels_address& there);
  /// `to` has mapped the channels of this node, or cannot.
  void on_address_reply(node_number to, bool has_found) noexcept {
    peers_[to].mapping = has_found ? mapping_state::mapped : mapping_state::not_mapped;
  }

  /// Takes a free channel for a payload to that node.
  std::optional<std::uint32_t> take(node_number to);
  std::size_t copy_in(std::uint32_t channel, std::span<const std::byte> payload) noexcept {
    return own_->copy_in(channel, payload);
  }
  /// After the first copy_in, which has copied `done` bytes of the payload. If that was all, `sent` is added to
  /// `ended`; otherwise advance() goes on.
  void continue_copy(std::uint32_t channel, std::span<const std::byte> payload, std::size_t done,
                     places::completion* sent, std::vector<places::completion*>& ended);

  /// Defers a payload, of which nothing has been copied in, until after the next message.
  void defer(std::uint32_t channel, std::span<const std::byte> payload, places::completion* sent) {
    deferred_.push_back({channel, payload, {}, sent});
  }
  /// A deferred payload goes on in advance(), or the caller of take_deferred() calls copy_in and go_on.
  struct outgoing {
    std::uint32_t channel;
    std::span<const std::byte> left;
    std::vector<std::byte> copied;
    places::completion* sent;
  };
  std::optional<outgoing> take_deferred();

  /// The source of a payload in a channel of `from`, for its handler.
  std::unique_ptr<payload::source> source_of(node_number from, const channel_note& note);

  /// Copies in and out as much as possible now.
  void advance(std::vector<places::completion*>& ended) {
    if (!deferred_.empty()) outgoing_.splice(outgoing_.end(), deferred_);
    if (!incoming_.empty()) advance_incoming(ended);
    if (!outgoing_.empty()) advance_outgoing(ended);
  }
  /// Payloads are in transfer. A payload that its receiver has not requested may stay so.
  bool is_moving() const noexcept { return !outgoing_.empty() || !incoming_.empty() || !deferred_.empty(); }
  /// No payload is left that another node or this one waits for.
  bool is_empty() const noexcept;
  /// Returns the completions of all transfers that have not ended and never will.
  void end_all(std::vector<places::completion*>& all);

  /// Bytes of payload copies. Any thread.
  std::uint64_t outstanding_bytes() const noexcept { return outstanding_bytes_.load(std::memory_order_relaxed); }

 private:
  class channel_source;
  enum class mapping_state : std::uint8_t { not_sent, sent, mapped, not_mapped };
  struct peer {
    mapping_state mapping = mapping_state::not_sent;  // whether it has mapped this node's channels
    std::unique_ptr<peer_channels> channels;
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
