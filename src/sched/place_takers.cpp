#include "sched/place_takers.hpp"

namespace stretto::sched {
namespace {

std::vector<bool> visited_by(std::uint32_t places, std::span<const place_takers::path> paths) {
  std::vector<bool> visited(places, false);
  for (const auto& path : paths)
    for (const auto p : path) visited[p] = true;
  return visited;
}

bool all_steal_everywhere(std::uint32_t places, std::span<const place_takers::path> pop, std::span<const place_takers::path> steal) {
  std::vector<bool> served = visited_by(places, pop);
  const std::vector<bool> stolen = visited_by(places, steal);
  for (std::uint32_t p = 0; p < places; ++p) served[p] = served[p] || stolen[p];
  for (const auto& path : steal)
    if (visited_by(places, std::span(&path, 1)) != served) return false;
  return true;
}

}  // namespace

place_takers::place_takers(std::uint32_t places, std::span<const path> pop, std::span<const path> steal)
    : workers_(static_cast<std::uint32_t>(pop.size())) {
  if (workers_ == 1 || all_steal_everywhere(places, pop, steal)) return;
  flags_.resize(std::size_t{workers_} * places);
  places_.resize(places);
  for (std::uint32_t w = 0; w < workers_; ++w) {
    std::uint8_t* const flags = flags_.data() + std::size_t{w} * places;
    for (const auto p : pop[w]) flags[p] |= pops;
    for (const auto p : steal[w]) flags[p] |= steals;
    for (std::uint32_t p = 0; p < places; ++p) {
      if (!flags[p]) continue;
      at_place& here = places_[p];
      here.workers.push_back(static_cast<std::uint16_t>(w));
      if (flags[p] & steals) ++here.stealing;
      else ++here.only_pop;
    }
  }
}

}  // namespace stretto::sched
