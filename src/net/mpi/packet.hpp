// packet.hpp - what travels on the communicator of heads: a fixed front, then the head, then the payload if it is small.
#pragma once

#include <cstdint>

#include "net/transport.hpp"

namespace stretto::net::mpi {

inline constexpr std::size_t most_eager_bytes = 4096;  // two messages cost no more from there on

enum class packet_kind : std::uint16_t {
  eager,    // the payload is behind the head
  offer,    // the payload waits at the sender
  ask,      // to the sender of an offer: the receive is posted under `tag`
  dropped,  // to the sender of an offer: nobody wants it
  credit,   // nothing but `returned`
};

/// All nodes of a job are of one architecture, as MPI_BYTE supposes.
struct packet_front {
  packet_kind kind;
  handler_number handler;
  std::uint32_t head_bytes;
  std::uint64_t payload_bytes;
  std::uint64_t transfer;  // the sender's number of an offer
  std::int32_t tag;
  std::uint32_t returned;  // credits
};

inline constexpr std::size_t most_packet_bytes = sizeof(packet_front) + transport::most_head_bytes + most_eager_bytes;
/// Messages that one node may have under way to another that has not looked at them.
inline constexpr std::uint32_t credits = 64;

/// MPI counts in int.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 30;

}  // namespace stretto::net::mpi
