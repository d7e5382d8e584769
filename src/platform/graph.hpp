// graph.hpp - the data behind a platform: a checked description, with tables for the queries of `platform`.
//
// Threads     immutable after checked() returns.
// Cost        checked: O(places + links + path entries), and sorting.
// Invariants  those of platform.hpp.
#pragma once

#include <stretto/place.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stretto::places {

/// Limits that keep a hostile or mistaken description from taking the memory of the machine.
inline constexpr std::uint32_t max_workers = 4096;
inline constexpr std::size_t max_places = 65535;           // schedulers number them by 16 bits
inline constexpr std::size_t max_path_entries = 1u << 22;  // pop and steal paths of all workers together

/// The links of all places in one array (compressed rows): place p has edges[first[p]] to edges[first[p + 1] - 1].
struct adjacency {
  struct edge {
    std::uint32_t to;
    std::uint32_t link;  // index into platform_description::links
  };
  std::vector<std::uint32_t> first;
  std::vector<edge> edges;

  std::span<const edge> of(place p) const { return {edges.data() + first[p.index], edges.data() + first[p.index + 1]}; }
};
/// Each place's edges come in ascending order of `to`. Every link must name existing places.
adjacency adjacency_of(const platform_description& description);

struct graph {
  platform_description is;
  adjacency adjacent;
  std::unordered_map<std::string_view, place> by_name;  // views into `is`
  std::vector<place> homes;                             // by worker: platform::home
  std::vector<bool> processor, memory;                  // by place: it can run tasks, it can hold data
  std::vector<bool> served;                             // by place: it is on the path of some worker
};

/// The positions of a description's parts in its file, for errors. Each function returns "file:line:column", or an
/// empty text. The functions are empty if a program built the description.
struct origins {
  std::function<std::string(std::size_t place)> of_place = {};
  std::function<std::string(std::size_t link)> of_link = {};
  std::function<std::string()> of_workers = {};
  std::function<std::string(std::size_t worker)> of_pop_path = {}, of_steal_path = {};
};

/// The graph of a description; throws P04, P06, P07, P10 or P12 for the first fault found.
std::shared_ptr<const graph> checked(platform_description description, const origins& from = {});

/// True for places that CPU workers visit by default: cores, caches and the memories of the host.
constexpr bool is_host(place_kind kind) {
  return kind <= place_kind::system_memory || kind == place_kind::pinned_memory;
}

/// Throws P06 unless 1 <= n <= max_workers.
void check_worker_count(std::uint64_t n, const std::string& where);

}  // namespace stretto::places
