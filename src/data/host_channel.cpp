#include "data/host_channel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace stretto::data {

void host_channel::start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
                         places::completion& done) {
  for (std::size_t plane = 0; plane < shape.planes; ++plane)
    for (std::size_t row = 0; row < shape.rows; ++row)
      std::memcpy(target.address + plane * target.plane_stride + row * target.row_stride,
                  source.address + plane * source.plane_stride + row * source.row_stride, shape.row_bytes);
  done.run(done);
}

// What an unmeasured host copy counts as; routes compare these figures with those of other channels.
double host_channel::bandwidth_bytes_per_second(place, place) const { return 10e9; }
double host_channel::latency_seconds(place, place) const { return 100e-9; }

void add_host_channels(places::channel_registry& registry) {
  const auto way = std::make_shared<host_channel>();
  for (std::size_t from = 0; from < place_kind_count; ++from)
    for (std::size_t to = 0; to < place_kind_count; ++to)
      if (is_host_memory(static_cast<place_kind>(from)) && is_host_memory(static_cast<place_kind>(to)))
        registry.add(static_cast<place_kind>(from), static_cast<place_kind>(to), way);
}

std::vector<std::size_t> cheapest_route(std::span<const stop> memories, const places::channel_registry& channels,
                                        std::size_t from, std::size_t to, std::uint64_t bytes) {
  struct reached {
    double seconds = std::numeric_limits<double>::infinity();
    std::size_t hops = 0, by = 0;
    bool settled = false;
  };
  if (from == to) {  // there and back again is no way: only a channel from it to itself
    const place_kind k = memories[from].kind;
    const places::channel* way = channels.find(k, k);
    const bool leads = way && way->bandwidth_bytes_per_second(memories[from].where, memories[from].where) > 0;
    return leads ? std::vector{from, to} : std::vector<std::size_t>{};
  }
  std::vector<reached> at(memories.size());
  at[from].seconds = 0;
  for (;;) {  // a node has a handful of memories: the plain quadratic search
    std::size_t best = memories.size();
    for (std::size_t i = 0; i < memories.size(); ++i) {
      if (at[i].settled || at[i].seconds == std::numeric_limits<double>::infinity()) continue;
      if (best == memories.size() || at[i].seconds < at[best].seconds ||
          (at[i].seconds == at[best].seconds && at[i].hops < at[best].hops))
        best = i;
    }
    if (best == memories.size()) return {};
    if (best == to) break;
    at[best].settled = true;
    for (std::size_t next = 0; next < memories.size(); ++next) {
      const places::channel* way = channels.find(memories[best].kind, memories[next].kind);
      if (!way || at[next].settled || next == best) continue;
      const place a = memories[best].where, b = memories[next].where;
      const double bandwidth = way->bandwidth_bytes_per_second(a, b);
      if (!(bandwidth > 0)) continue;
      const double seconds = at[best].seconds + way->latency_seconds(a, b) + static_cast<double>(bytes) / bandwidth;
      if (seconds < at[next].seconds || (seconds == at[next].seconds && at[best].hops + 1 < at[next].hops))
        at[next] = {seconds, at[best].hops + 1, best, false};
    }
  }
  std::vector<std::size_t> route{to};
  while (route.back() != from) route.push_back(at[route.back()].by);
  std::reverse(route.begin(), route.end());
  return route;
}

}  // namespace stretto::data
