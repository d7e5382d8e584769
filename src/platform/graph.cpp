#include "platform/graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stretto/error.hpp>

#include "base/utf8.hpp"

namespace stretto::places {
namespace {

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

/// The position of a part in its file. Computed only for an error: counting lines reads the whole text before it.
class origin {
 public:
  origin(const std::function<std::string(std::size_t)>& of, std::size_t number) : of_(of), number_(number) {}
  operator std::string() const { return of_ ? of_(number_) : std::string(); }

 private:
  const std::function<std::string(std::size_t)>& of_;
  const std::size_t number_;
};

error fault_at(const char* code, std::string sentence, std::string where) {
  return error(code, std::move(sentence)).fact("file", std::move(where));
}

void check_figure(const std::optional<double>& value, const std::string& what, const char* unit, const origin& where) {
  if (!value || (std::isfinite(*value) && *value >= 0)) return;
  throw fault_at("P12", what + " is not a finite number of " + unit + ", zero or more", where)
      .remedy("leave it out if it is not known");
}

void check_name(const std::string& name, const origin& where) {
  const auto bad_name = [&](std::string why) {
    return fault_at("P12", "a place cannot have this name", where)
        .because(std::move(why))
        .remedy("use letters, digits and _, such as \"L2_0\"");
  };
  if (name.empty()) throw bad_name("it is empty");
  if (name.size() > 255) throw bad_name("it has " + std::to_string(name.size()) + " bytes, more than 255");
  if (base::first_bad_utf8(name) != name.size()) throw bad_name("it is not UTF-8");
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw bad_name("it holds a control character");
  if (name.find("$(") != name.npos) throw bad_name("$( begins an expression, which only paths may hold");
}

void check_places(graph& g, const origins& from) {
  if (g.is.places.size() > max_places)
    throw fault_at("P10",
                   std::to_string(g.is.places.size()) + " places are more than the " + std::to_string(max_places) +
                       " that a platform can have",
                   origin(from.of_place, max_places));
  g.by_name.reserve(g.is.places.size());
  for (std::size_t i = 0; i < g.is.places.size(); ++i) {
    const auto& p = g.is.places[i];
    check_name(p.name, origin(from.of_place, i));
    if (static_cast<std::size_t>(p.kind) >= place_kind_count)
      throw fault_at("P12", "place " + in_quotes(p.name) + " has no valid kind", origin(from.of_place, i));
    check_figure(p.bandwidth_bytes_per_second, "the bandwidth of place " + in_quotes(p.name), "bytes per second",
                 origin(from.of_place, i));
    check_figure(p.latency_seconds, "the latency of place " + in_quotes(p.name), "seconds", origin(from.of_place, i));
    const auto [at, fresh] = g.by_name.emplace(p.name, place{static_cast<std::uint32_t>(i)});
    if (!fresh)
      throw fault_at("P04", "place " + in_quotes(p.name) + " is declared twice", origin(from.of_place, i))
          .fact("first", origin(from.of_place, at->second.index))
          .remedy("give each place a unique name");
  }
}

void check_links(const graph& g, const origins& from) {
  std::set<std::pair<place, place>> seen;
  for (std::size_t i = 0; i < g.is.links.size(); ++i) {
    const auto& l = g.is.links[i];
    const origin where(from.of_link, i);
    if (l.a.index >= g.is.places.size() || l.b.index >= g.is.places.size())
      throw fault_at("P16", "link " + std::to_string(i) + " joins places that do not belong to this platform", where);
    const auto& a = g.is.places[l.a.index].name;
    const auto& b = g.is.places[l.b.index].name;
    if (l.a == l.b)
      throw fault_at("P12", "place " + in_quotes(a) + " is linked to itself", where).remedy("remove this link");
    const auto what = " of the link " + in_quotes(a) + " - " + in_quotes(b);
    check_figure(l.bandwidth_bytes_per_second, "the bandwidth" + what, "bytes per second", where);
    check_figure(l.latency_seconds, "the latency" + what, "seconds", where);
    if (!seen.emplace(std::minmax(l.a, l.b)).second)
      throw fault_at("P04", "the link " + in_quotes(a) + " - " + in_quotes(b) + " is given twice", where)
          .because("links have no direction")
          .remedy("keep one of them");
  }
}

void check_paths(graph& g, const origins& from) {
  check_worker_count(g.is.pop_paths.size(), from.of_workers ? from.of_workers() : std::string());
  if (g.is.steal_paths.size() != g.is.pop_paths.size())
    throw error("P12", std::to_string(g.is.pop_paths.size()) + " pop paths do not match " +
                           std::to_string(g.is.steal_paths.size()) + " steal paths")
        .remedy("give every worker one of each; a steal path may be empty");
  std::size_t entries = 0;
  std::vector<std::uint32_t> visited_by(g.is.places.size(), 0);
  std::uint32_t visit = 0;
  // Removes repeated places: on a machine with few places, different expressions of a path may name the same one.
  const auto check_path = [&](std::vector<place>& path, const char* kind, std::size_t worker, const auto& of) {
    entries += path.size();
    if (entries > max_path_entries)
      throw fault_at(
          "P10", "the paths of all workers together visit more than " + std::to_string(max_path_entries) + " places",
          origin(of, worker))
          .remedy("give shorter paths, or fewer workers");
    ++visit;
    std::erase_if(path, [&](place p) {
      if (p.index >= g.is.places.size())
        throw fault_at("P16",
                       std::string("the ") + kind + " path of worker " + std::to_string(worker) +
                           " visits a place that does not belong to this platform",
                       origin(of, worker));
      const bool again = visited_by[p.index] == visit;
      visited_by[p.index] = visit;
      g.served[p.index] = true;
      return again;
    });
    path.shrink_to_fit();
  };
  for (std::size_t w = 0; w < g.is.pop_paths.size(); ++w) {
    if (g.is.pop_paths[w].empty())
      throw fault_at("P12", "the pop path of worker " + std::to_string(w) + " is empty", origin(from.of_pop_path, w))
          .because("a worker runs only what it finds at the places of its paths")
          .remedy("name at least one place");
    check_path(g.is.pop_paths[w], "pop", w, from.of_pop_path);
    check_path(g.is.steal_paths[w], "steal", w, from.of_steal_path);
  }
}

void check_reach(const graph& g, const origins& from) {
  std::vector<bool> reached = g.served;
  std::vector<place> frontier;
  for (std::uint32_t i = 0; i < reached.size(); ++i)
    if (reached[i]) frontier.push_back({i});
  while (!frontier.empty()) {
    const place p = frontier.back();
    frontier.pop_back();
    for (const auto& e : g.adjacent.of(p))
      if (!reached[e.to]) reached[e.to] = true, frontier.push_back({e.to});
  }
  const auto unreached = std::find(reached.begin(), reached.end(), false) - reached.begin();
  if (unreached == static_cast<std::ptrdiff_t>(reached.size())) return;
  throw fault_at("P07", "no worker can reach place " + in_quotes(g.is.places[unreached].name),
                 origin(from.of_place, unreached))
      .because("no chain of links joins it to a place on the path of any worker")
      .remedy("link it to a neighbour under \"reachability\", or remove it");
}

void assign_roles(graph& g) {
  const auto kind = [&](place p) { return g.is.places[p.index].kind; };
  const auto n = static_cast<std::uint32_t>(g.is.places.size());
  g.processor.assign(n, false);
  g.memory.assign(n, false);
  for (place p{0}; p.index < n; ++p.index) {
    const auto k = kind(p);
    g.processor[p.index] = k == place_kind::core || k == place_kind::gpu;
    g.memory[p.index] = k == place_kind::numa || k == place_kind::system_memory || k == place_kind::pinned_memory ||
                        k == place_kind::gpu_memory || k == place_kind::global_memory || k == place_kind::storage;
    if (k == place_kind::gpu) {
      const auto edges = g.adjacent.of(p);
      g.memory[p.index] = std::none_of(edges.begin(), edges.end(),
                                       [&](const auto& e) { return kind({e.to}) == place_kind::gpu_memory; });
    }
  }
  for (const auto& path : g.is.pop_paths) {
    const auto at =
        std::find_if(path.begin(), path.end(), [&](place p) { return kind(p) <= place_kind::system_memory; });
    g.homes.push_back(at == path.end() ? path.front() : *at);
    g.processor[g.homes.back().index] = true;
  }
}

}  // namespace

adjacency adjacency_of(const platform_description& description) {
  adjacency adjacent;
  adjacent.first.assign(description.places.size() + 1, 0);
  for (const auto& l : description.links) ++adjacent.first[l.a.index + 1], ++adjacent.first[l.b.index + 1];
  for (std::size_t i = 1; i < adjacent.first.size(); ++i) adjacent.first[i] += adjacent.first[i - 1];
  adjacent.edges.resize(description.links.size() * 2);
  auto next = adjacent.first;
  for (std::uint32_t i = 0; i < description.links.size(); ++i) {
    const auto& l = description.links[i];
    adjacent.edges[next[l.a.index]++] = {l.b.index, i};
    adjacent.edges[next[l.b.index]++] = {l.a.index, i};
  }
  for (std::size_t i = 0; i + 1 < adjacent.first.size(); ++i)
    std::sort(adjacent.edges.begin() + adjacent.first[i], adjacent.edges.begin() + adjacent.first[i + 1],
              [](const auto& x, const auto& y) { return x.to < y.to; });
  return adjacent;
}

void check_worker_count(std::uint64_t n, const std::string& where) {
  if (n == 0)
    throw fault_at("P06", "a platform needs at least one worker", where)
        .remedy("set \"nworkers\" to the number of cores");
  if (n > max_workers)
    throw fault_at(
        "P06",
        std::to_string(n) + " workers are more than the " + std::to_string(max_workers) + " that a platform can have",
        where)
        .remedy("ask for about one worker per core");
}

std::shared_ptr<const graph> checked(platform_description description, const origins& from) {
  auto g = std::make_shared<graph>();
  g->is = std::move(description);
  g->served.assign(g->is.places.size(), false);
  check_places(*g, from);
  check_links(*g, from);
  check_paths(*g, from);
  g->adjacent = adjacency_of(g->is);
  check_reach(*g, from);
  assign_roles(*g);
  return g;
}

}  // namespace stretto::places
