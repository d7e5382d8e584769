// packet.hpp - the packets on the communicator for heads: a front of 8 bytes, a head, and a rest whose meaning depends
// on the kind. A message with a small head fits into one cache line, together with MPI's own header.
//
// An MPI message holds one or more packets, each at a multiple of 8 bytes.
#pragma once

#include <cstdint>

#include "net/transport.hpp"

namespace stretto::net::mpi {

inline constexpr std::size_t most_eager_bytes = 4096;  // two messages cost no more from there on

enum class packet_kind : std::uint8_t {
  eager,            // the rest is the payload
  offer,            // the rest is an offer_note: the payload waits at the sender
  channel_payload,  // the rest is a channel_note: the payload is in a channel, or on its way through it
  clear_to_send,    // to the sender of an offer: the receive is posted; the rest is an ask_note
  offer_dropped,    // to the sender of an offer: the receiver does not take it; the rest is an ask_note
  credit,           // nothing but `returned`
  channel_address,  // the rest is a channels_address: the sender's
  address_reply,    // reply to `channels`: one byte, whether the receiver has mapped them
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
  std::int64_t tag;
};

constexpr std::size_t bytes_of(const packet_front& f) noexcept { return sizeof f + f.head_bytes + f.rest_bytes; }
/// Where the packet behind one that ends at `end` begins.
constexpr std::size_t next_packet(std::size_t end) noexcept { return (end + 7) / 8 * 8; }

/// The longest packet, and the longest MPI message with several packets: so much Open MPI still sends at once between
/// processes of a host.
inline constexpr std::size_t most_packet_bytes = sizeof(packet_front) + transport::most_head_bytes + most_eager_bytes;
inline constexpr std::size_t most_shared_bytes = 4000;
/// MPI messages that one node may send to another before that one has handled them.
inline constexpr std::uint32_t credits = 64;

/// MPI counts in int.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;

}  // namespace stretto::net::mpi
