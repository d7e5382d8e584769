// packet.hpp - the packets that a transport sends on its communicator for heads. A packet is a front of 8 bytes, the
// head of a message, and a rest that depends on the kind. A message with a small head fits into one cache line,
// together with MPI's own header.
//
// Large payloads use rendezvous: `offer` is the request to send, `clear_to_send` or `offer_dropped` the reply. Between
// processes of one host they go through shared memory instead: `channel_payload`.
//
// An MPI message holds one or more packets, each at a multiple of 8 bytes.
#pragma once

#include <cstdint>

#include "net/transport.hpp"

namespace stretto::net::mpi {

/// For larger payloads a separate message costs no more than copying the payload into the packet.
inline constexpr std::size_t most_eager_bytes = 4096;

enum class packet_kind : std::uint8_t {
  eager,            // the rest is the payload
  offer,            // rest: an offer_note. The payload stays with the sender until the reply
  channel_payload,  // rest: a channel_note. The sender copies the payload into one of its channels
  clear_to_send,    // reply to `offer`: the receive is posted. Rest: an offer_reply_note
  offer_dropped,    // reply to `offer`: the receiver drops the payload. Rest: an offer_reply_note
  credit,           // only returns credits
  channel_address,  // rest: the channels_address of the sender
  address_reply,    // reply to `channel_address`. Rest: one byte, not 0 if the receiver has mapped the channels
};

/// All nodes of a job have one architecture, as MPI_BYTE requires.
struct packet_front {
  packet_kind kind = packet_kind::credit;
  std::uint8_t returned = 0;  // credits; set in the first packet of an MPI message
  handler_number handler = 0;
  std::uint16_t head_bytes = 0, rest_bytes = 0;
};
static_assert(sizeof(packet_front) == 8);

struct offer_note {
  std::uint64_t transfer;  // the sender's number of the offer
  std::uint64_t bytes;
};
struct channel_note {
  std::uint64_t channel;  // of the sender
  std::uint64_t bytes;
};
struct offer_reply_note {
  std::uint64_t transfer;
  std::int64_t tag;  // of the posted receive; 0 for offer_dropped
};

constexpr std::size_t bytes_of(const packet_front& f) noexcept { return sizeof f + f.head_bytes + f.rest_bytes; }
/// The offset of the packet after one that ends at `end`.
constexpr std::size_t next_packet(std::size_t end) noexcept { return (end + 7) / 8 * 8; }

/// The longest packet, and the longest MPI message with several packets. Open MPI still sends the latter eagerly
/// between processes of a host.
inline constexpr std::size_t most_packet_bytes = sizeof(packet_front) + transport::most_head_bytes + most_eager_bytes;
inline constexpr std::size_t most_shared_bytes = 4000;
/// MPI messages that one node may send to another before that one has handled them.
inline constexpr std::uint32_t credits = 64;

/// MPI counts in int.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;

}  // namespace stretto::net::mpi
