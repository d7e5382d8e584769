#include "data/host_channel.hpp"

#include <cstring>

namespace stretto::data {

void host_channel::start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
                         places::completion& done) {
  for (std::size_t plane = 0; plane < shape.planes; ++plane)
    for (std::size_t row = 0; row < shape.rows; ++row)
      std::memcpy(target.address + plane * target.plane_stride + row * target.row_stride,
                  source.address + plane * source.plane_stride + row * source.row_stride, shape.row_bytes);
  done.run(done);
}

// Assumed figures of an unmeasured host copy; routes compare them with those of other channels.
double host_channel::bandwidth_bytes_per_second(place, place) const { return 10e9; }
double host_channel::latency_seconds(place, place) const { return 100e-9; }

void add_host_channels(places::channel_registry& registry) {
  const auto channel = std::make_shared<host_channel>();
  for (std::size_t from = 0; from < place_kind_count; ++from)
    for (std::size_t to = 0; to < place_kind_count; ++to)
      if (is_host_memory(static_cast<place_kind>(from)) && is_host_memory(static_cast<place_kind>(to)))
        registry.add(static_cast<place_kind>(from), static_cast<place_kind>(to), channel);
}

std::vector<std::size_t> cheapest_route(std::span<const stop> memories, const places::channel_registry& channels,
                                        std::size_t from, std::size_t to, std::uint64_t bytes) {
  const auto direct = [&](std::size_t a, std::size_t b) -> std::optional<places::channel_figures> {
    return figures_between(memories[a], memories[b], channels);
  };
  return places::cheapest_copy(memories.size(), direct, from, to, bytes);
}

std::optional<places::channel_figures> figures_between(const stop& source, const stop& target,
                                                       const places::channel_registry& channels) {
  const places::channel* const channel = channels.find(source.kind, target.kind);
  if (!channel) return std::nullopt;
  const double bandwidth = channel->bandwidth_bytes_per_second(source.where, target.where);
  if (!(bandwidth > 0)) return std::nullopt;
  return places::channel_figures{bandwidth, channel->latency_seconds(source.where, target.where)};
}

}  // namespace stretto::data
