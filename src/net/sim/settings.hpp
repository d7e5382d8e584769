// settings.hpp - how large, slow and disorderly a simulated network is.
//
// Source      latency and gap per byte: the LogGP model, Alexandrov, Ionescu, Schauser, Scheiman, SPAA 1995.
#pragma once

#include <cstdint>

namespace stretto::net::sim {

struct settings {
  std::uint32_t nodes = 2;
  std::uint64_t seed = 1;
  double latency_seconds = 1e-6;
  double jitter_seconds = 2e-6;              // at most so much is added, by the seed
  double bandwidth_bytes_per_second = 1e10;  // of each pair, in each direction
  std::uint64_t eager_bytes = 4096;          // a larger payload goes by rendezvous
};

}  // namespace stretto::net::sim
