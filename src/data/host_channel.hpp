// host_channel.hpp - copies between memories that the processor loads and stores, and routes where no channel leads.
//
// Threads     any.
// Cost        start copies before it returns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/channel_registry.hpp"
#include "platform/copy_ways.hpp"

namespace stretto::data {

/// True for memories that the processor reads and writes with ordinary instructions.
constexpr bool is_host_memory(place_kind kind) noexcept {
  return kind == place_kind::numa || kind == place_kind::system_memory || kind == place_kind::pinned_memory;
}

/// True for places whose bytes are in a host memory: those, and the processors and caches next to one.
constexpr bool is_near_host_memory(place_kind kind) noexcept {
  return kind <= place_kind::system_memory || is_host_memory(kind);
}

class host_channel final : public places::channel {
 public:
  void start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
             places::completion& done) override;
  double bandwidth_bytes_per_second(place source, place target) const override;
  double latency_seconds(place source, place target) const override;
};

/// Registers one host_channel for every pair of host memory kinds.
void add_host_channels(places::channel_registry& registry);

/// A memory as a route sees it.
struct stop {
  place where;
  place_kind kind;
};

/// What the channel from one to the other says of itself; nothing if there is none, or it does not lead there.
std::optional<places::way_figures> figures_between(const stop& source, const stop& target,
                                                   const places::channel_registry& channels);

/// The memories a copy of `bytes` passes through, both ends included, as positions in `memories`
/// (places::cheapest_copy); empty if there is no way. Pure.
std::vector<std::size_t> cheapest_route(std::span<const stop> memories, const places::channel_registry& channels,
                                        std::size_t from, std::size_t to, std::uint64_t bytes);

}  // namespace stretto::data
