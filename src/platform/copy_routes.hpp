// copy_routes.hpp - finds the memories through which a copy passes, from the figures of the channels between memories.
//
// Threads     pure.
// Cost        cheapest_copy: quadratic in the number of memories of a node, which are few.
#pragma once

#include <stretto/route.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace stretto::places {

/// The figures that a channel reports.
struct channel_figures {
  double bandwidth_bytes_per_second = 0;
  double latency_seconds = 0;
};

/// The route of a copy of `bytes` among `count` memories, both ends included: least time by the figures of the
/// channels, then fewest hops, then the lower positions; empty if there is none. `direct(from, to)` returns the figures
/// of the channel between two of them, or nothing.
template <class Direct>
std::vector<std::size_t> cheapest_copy(std::size_t count, const Direct& direct, std::size_t from, std::size_t to,
                                       std::uint64_t bytes) {
  struct reached {
    double seconds = std::numeric_limits<double>::infinity();
    std::size_t hops = 0, previous = 0;
    bool is_settled = false;
  };
  // A copy within one memory needs a channel from it to itself, not a round trip.
  if (from == to) return direct(from, to) ? std::vector{from, to} : std::vector<std::size_t>{};
  std::vector<reached> at(count);
  at[from].seconds = 0;
  for (;;) {
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i) {
      if (at[i].is_settled || at[i].seconds == std::numeric_limits<double>::infinity()) continue;
      if (best == count || at[i].seconds < at[best].seconds ||
          (at[i].seconds == at[best].seconds && at[i].hops < at[best].hops))
        best = i;
    }
    if (best == count) return {};
    if (best == to) break;
    at[best].is_settled = true;
    for (std::size_t next = 0; next < count; ++next) {
      if (at[next].is_settled || next == best) continue;
      const std::optional<channel_figures> figures = direct(best, next);
      if (!figures) continue;
      const double leg = figures->latency_seconds + static_cast<double>(bytes) / figures->bandwidth_bytes_per_second;
      const double seconds = at[best].seconds + leg;
      if (seconds < at[next].seconds || (seconds == at[next].seconds && at[best].hops + 1 < at[next].hops))
        at[next] = {seconds, at[best].hops + 1, best, false};
    }
  }
  std::vector<std::size_t> route{to};
  while (route.back() != from) route.push_back(at[route.back()].previous);
  std::reverse(route.begin(), route.end());
  return route;
}

/// The channels of a runtime, as they were when it started.
struct copy_routes {
  std::vector<place> ends;                 // sources and targets of copies; a null place: memory of the program
  std::vector<bool> is_passed;             // by end: copies may pass through it
  std::vector<std::uint32_t> end_at;       // by place of the platform: its index in `ends`
  std::vector<double> bandwidth, latency;  // at from * ends.size() + to; 0 bytes per second: there is no channel

  std::optional<channel_figures> direct(std::size_t from, std::size_t to) const {
    const std::size_t i = from * ends.size() + to;
    if (!(bandwidth[i] > 0)) return std::nullopt;
    return channel_figures{bandwidth[i], latency[i]};
  }
  std::optional<transfer_route> route(place from, place to, std::uint64_t bytes) const;
};

}  // namespace stretto::places
