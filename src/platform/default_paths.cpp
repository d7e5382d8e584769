#include "platform/default_paths.hpp"

#include <algorithm>
#include <stretto/error.hpp>

namespace stretto::places {
namespace {

template <typename Rule>
std::vector<std::vector<place>> paths_by(const platform_description& description, std::uint32_t workers, Rule rule) {
  const auto homes = default_homes(description);
  if (homes.empty()) return std::vector<std::vector<place>>(workers);
  const auto adjacent = adjacency_of(description);
  std::vector<std::vector<place>> paths;
  std::size_t entries = 0;
  for (std::uint32_t w = 0; w < workers; ++w) {
    paths.push_back(w < homes.size() ? rule(description, adjacent, homes[w]) : paths[w % homes.size()]);
    entries += paths.back().size();
    if (entries > max_path_entries)
      throw error("P10", "the default paths of " + std::to_string(workers) + " workers visit more than " +
                             std::to_string(max_path_entries) + " places")
          .remedy("write paths of your own, or ask for fewer workers");
  }
  return paths;
}

}  // namespace

std::vector<place> default_homes(const platform_description& description) {
  const auto of = [&](auto wanted) {
    std::vector<place> found;
    for (std::uint32_t i = 0; i < description.places.size(); ++i)
      if (wanted(description.places[i].kind)) found.push_back({i});
    return found;
  };
  for (auto kind = place_kind::core; kind <= place_kind::system_memory;
       kind = static_cast<place_kind>(static_cast<int>(kind) + 1))
    if (auto homes = of([&](place_kind k) { return k == kind; }); !homes.empty()) return homes;
  return of([](place_kind) { return true; });
}

std::vector<place> climb(const platform_description& description, const adjacency& adjacent, place home) {
  std::vector<place> path{home};
  const auto kind = [&](std::uint32_t i) { return description.places[i].kind; };
  for (;;) {
    place next;
    for (const auto& e : adjacent.of(path.back())) {
      const auto k = kind(e.to);
      if (k > place_kind::system_memory || k <= kind(path.back().index)) continue;
      if (!next || k < kind(next.index)) next = {e.to};
    }
    if (!next) return path;
    path.push_back(next);
  }
}

std::vector<place> nearest_first(const platform_description& description, const adjacency& adjacent, place home) {
  const auto homes = default_homes(description);
  const auto at = static_cast<std::size_t>(std::lower_bound(homes.begin(), homes.end(), home) - homes.begin());
  // Rotates a range of equally near places, so that each home begins at another one.
  const auto begin_at_share = [&](auto first, auto last) {
    const auto size = static_cast<std::size_t>(last - first);
    const auto share = (at * size + homes.size() - 1) / std::max<std::size_t>(1, homes.size()) % size;
    std::rotate(first, first + static_cast<std::ptrdiff_t>(share), last);
  };
  const auto kind = [&](place p) { return description.places[p.index].kind; };
  std::vector<bool> seen(description.places.size(), false);
  std::vector<place> path, ring{home}, next;
  // Follows links between places of one kind only where no other link leads further.
  const auto extend = [&](place p, bool to_same_kind) {
    for (const auto& e : adjacent.of(p))
      if (!seen[e.to] && is_host(kind({e.to})) && (kind({e.to}) == kind(p)) == to_same_kind)
        seen[e.to] = true, next.push_back({e.to});
  };
  seen[home.index] = true;
  while (!ring.empty()) {
    std::sort(ring.begin(), ring.end(),
              [&](place a, place b) { return std::pair(kind(a), a) < std::pair(kind(b), b); });
    for (auto first = ring.begin(); first != ring.end();) {
      const auto last = std::find_if(first, ring.end(), [&](place p) { return kind(p) != kind(*first); });
      begin_at_share(first, last);
      first = last;
    }
    next.clear();
    path.insert(path.end(), ring.begin(), ring.end());
    for (const place p : ring) extend(p, false);
    if (next.empty())
      for (const place p : path) extend(p, true);
    ring.swap(next);
  }
  return path;
}

std::vector<std::vector<place>> climbing_paths(const platform_description& description, std::uint32_t workers) {
  return paths_by(description, workers, climb);
}

std::vector<std::vector<place>> nearest_paths(const platform_description& description, std::uint32_t workers) {
  return paths_by(description, workers, nearest_first);
}

}  // namespace stretto::places
