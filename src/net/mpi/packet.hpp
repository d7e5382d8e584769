// packet.hpp - what travels on the communicator of heads: packets, each a front of 8 bytes, then a head, then the rest, whose meaning
// is of its kind. A message with a small head goes with MPI's own words into one line of the cache.
//
// A message of MPI holds one packet or several, each begun at a multiple of 8 bytes.
#pragma once

#include <cstdint>

#include "net/transport.hpp"

namespace stretto::net::mpi {

inline constexpr std::size_t most_eager_bytes = 4096;  // two messages cost no more from there on

enum class packet_kind : std::uint8_t {
  eager,    // the rest is the payload
  offer,    // the rest is an offer_note: the payload waits at the sender
  in_channel,   // the rest is a lane_note: the payload is in a lane, or on its way through it
  ask,      // to the sender of an offer: the receive is posted; the rest is an ask_note
  dropped,  // to the sender of an offer: nobody wants it; the rest is an ask_note
  credit,   // nothing but `returned`
  channels,    // the rest is a lanes_address: the sender's
  found,    // to the sender of that: one byte, whether they have been
};

/// All nodes of a job are of one architecture, as MPI_BYTE supposes.
struct packet_front {
  packet_kind kind = packet_kind::credit;
  std::uint8_t returned = 0;  // credits; said by the first packet of a message
  handler_number handler = 0;
  std::uint16_t head_bytes = 0, rest_bytes = 0;
};
static_assert(sizeof(packet_front) == 8);

struct offer_note {
  std::uint64_t transfer;  // the sender's number of the offer
  std::uint64_t bytes;
};
struct channel_note {
  std::uint64_t channel;  // of the sender's
  std::uint64_t bytes;
};
struct ask_note {
  std::uint64_t transfer;
  std::int64_t tag;
};

constexpr std::size_t bytes_of(const packet_front& f) noexcept { return sizeof f + f.head_bytes + f.rest_bytes; }
/// Where a packet begins, behind one that ends there.
constexpr std::size_t next_packet(std::size_t end) noexcept { return (end + 7) / 8 * 8; }

/// The longest packet, and the most that several make: small ones of a flood share what Open MPI still sends at once between processes
/// of a host.
inline constexpr std::size_t most_packet_bytes = sizeof(packet_front) + transport::most_head_bytes + most_eager_bytes;
inline constexpr std::size_t most_shared_bytes = 4000;
/// Messages of MPI that one node may have under way to another that has not looked at them.
inline constexpr std::uint32_t credits = 64;

/// MPI counts in int.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;

}  // namespace stretto::net::mpi
