// host_channel.hpp - copies between memories that the processor addresses, and routes where no direct channel leads.
//
// Threads     any.
// Cost        start: the copy itself, before it returns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/channel_registry.hpp"
#include "platform/copy_routes.hpp"

namespace stretto::data {

/// True for memories that the processor reads and writes with ordinary instructions.
constexpr bool is_host_memory(place_kind kind) noexcept {
  return kind == place_kind::numa || kind == place_kind::system_memory || kind == place_kind::pinned_memory;
}

/// True for places of which the bytes are in a host memory: the host memories, and processors and caches next to one.
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

/// A memory on a route.
struct stop {
  place where;
  place_kind kind;
};

/// Bandwidth and latency of the channel from one to the other; nothing if there is no such channel.
std::optional<places::channel_figures> figures_between(const stop& source, const stop& target,
                                                       const places::channel_registry& channels);

/// The memories that a copy of `bytes` passes through, both ends included, as positions in `memories`
/// (places::cheapest_copy). Empty if there is no route. Pure.
std::vector<std::size_t> cheapest_route(std::span<const stop> memories, const places::channel_registry& channels,
                                        std::size_t from, std::size_t to, std::uint64_t bytes);

}  // namespace stretto::data
