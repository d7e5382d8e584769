#include <stretto/platform.hpp>

#include <algorithm>
#include <cstdint>
#include <stretto/error.hpp>
#include <utility>

#include "base/context.hpp"
#include "base/nearest_name.hpp"
#include "base/whole_file.hpp"
#include "platform/copy_routes.hpp"
#include "platform/default_paths.hpp"
#include "platform/discovery.hpp"
#include "platform/drawing.hpp"
#include "platform/graph.hpp"
#include "platform/graphviz.hpp"
#include "platform/json_reader.hpp"
#include "platform/locality_reader.hpp"
#include "platform/locality_writer.hpp"
#include "platform/measure.hpp"
#include "platform/routes.hpp"

namespace stretto {
namespace {

constexpr std::uintmax_t max_file_bytes = 64u << 20;

static_assert(platform::max_workers == places::max_workers);

std::string text_of(const std::string& file) {
  const auto unreadable = [&](std::string why) {
    return error("P11", "the platform file cannot be read").fact("file", file).because(std::move(why));
  };
  auto content = base::read_whole(file, max_file_bytes);
  if (content.is_too_large)
    throw error("P10", "the platform file is larger than 64 MiB")
        .fact("file", file)
        .because("a locality graph of the largest machines needs a few MiB");
  if (!content) throw unreadable(std::move(content.fault));
  return std::move(content.text);
}

const place_description& entry(const places::graph& g, place p) {
  if (p.index < g.is.places.size()) return g.is.places[p.index];
  throw error("P16", p ? "place " + std::to_string(p.index) + " does not belong to this platform, which has " +
                             std::to_string(g.is.places.size()) + " places"
                       : std::string("an invalid place was given to a platform"))
      .remedy("use places that this platform returned");
}

const std::vector<place>& path_of(const std::vector<std::vector<place>>& paths, std::uint32_t worker) {
  if (worker < paths.size()) return paths[worker];
  throw error("P16", "there is no worker " + std::to_string(worker) + " in a platform of " +
                         std::to_string(paths.size()) + " workers");
}

std::vector<place> those(const places::graph& g, auto wanted) {
  std::vector<place> found;
  for (std::uint32_t i = 0; i < g.is.places.size(); ++i)
    if (wanted(place{i})) found.push_back({i});
  return found;
}

const std::vector<bool>& role_of(const places::graph& g, place_role role) {
  return role == place_role::processor ? g.processor : g.memory;
}

}  // namespace

platform::platform(std::shared_ptr<const places::graph> graph) noexcept : graph_(std::move(graph)) {}

platform platform::discover(std::uint32_t workers) { return build(places::discover(workers)); }

platform platform::synthetic(const std::string& description, std::uint32_t workers) {
  return build(places::synthesize(description, workers));
}

platform platform::read(const std::string& file) { return parse(text_of(file), file); }

platform platform::parse(std::string_view text, std::string_view file_name) {
  return platform(places::read_locality_graph(text, file_name));
}

platform platform::build(platform_description description) { return platform(places::checked(std::move(description))); }

const platform_description& platform::describe() const noexcept { return graph_->is; }

std::uint32_t platform::worker_count() const noexcept {
  return static_cast<std::uint32_t>(graph_->is.pop_paths.size());
}

platform platform::with_workers(std::uint32_t n) const {
  places::check_worker_count(n, {});
  auto changed = graph_->is;
  const auto old = worker_count();
  const auto resize = [&](auto& paths, auto rule) {
    // Workers beyond the old ones get cores of their own, if the paths are those that the rule would give.
    if (n > old && paths == rule(graph_->is, old)) {
      paths = rule(graph_->is, n);
    } else {
      paths.resize(n);
      for (auto w = old; w < n; ++w) paths[w] = paths[w % old];
    }
  };
  const auto within_limits = [&](auto rule) {
    return [rule](const platform_description& is, std::uint32_t workers) {
      return is.places.size() * workers <= places::max_path_entries ? rule(is, workers)
                                                                    : std::vector<std::vector<place>>();
    };
  };
  resize(changed.pop_paths, within_limits(places::climbing_paths));
  resize(changed.steal_paths, within_limits(places::nearest_paths));
  return build(std::move(changed));
}

std::span<const place> platform::pop_path(std::uint32_t worker) const { return path_of(graph_->is.pop_paths, worker); }
std::span<const place> platform::steal_path(std::uint32_t worker) const {
  return path_of(graph_->is.steal_paths, worker);
}

place platform::home(std::uint32_t worker) const {
  path_of(graph_->is.pop_paths, worker);
  return graph_->homes[worker];
}

bool platform::is_served(place p) const { return entry(*graph_, p), graph_->served[p.index]; }

std::size_t platform::place_count() const noexcept { return graph_->is.places.size(); }

std::vector<place> platform::places() const {
  return those(*graph_, [](place) { return true; });
}
std::vector<place> platform::places(place_kind kind) const {
  return those(*graph_, [&](place p) { return graph_->is.places[p.index].kind == kind; });
}
std::vector<place> platform::processors() const {
  return those(*graph_, [&](place p) { return graph_->processor[p.index]; });
}
std::vector<place> platform::memories() const {
  return those(*graph_, [&](place p) { return graph_->memory[p.index]; });
}
bool platform::has_role(place p, place_role role) const { return entry(*graph_, p), role_of(*graph_, role)[p.index]; }

const std::string& platform::name(place p) const { return entry(*graph_, p).name; }
place_kind platform::kind(place p) const { return entry(*graph_, p).kind; }
const place_description& platform::about(place p) const { return entry(*graph_, p); }
std::span<const place_link> platform::links() const noexcept { return graph_->is.links; }

std::vector<place> platform::neighbors(place p) const {
  entry(*graph_, p);
  std::vector<place> found;
  for (const auto& e : graph_->adjacent.of(p)) found.push_back({e.to});
  return found;
}

std::optional<place> platform::find(std::string_view name) const {
  const auto at = graph_->by_name.find(name);
  return at == graph_->by_name.end() ? std::nullopt : std::optional(at->second);
}

place platform::at(std::string_view name) const {
  if (const auto p = find(name)) return *p;
  std::vector<std::string> names;
  for (const auto& p : graph_->is.places) names.push_back(p.name);
  auto remedy = name.size() <= 255 ? base::did_you_mean(name, names) : std::string();
  throw error("P03", "this platform has no place " + places::json_quoted(name))
      .remedy(remedy.empty() ? "list its places with: stretto platform" : remedy);
}

namespace {

/// Whether the processor's loads and stores reach the memory.
bool addresses(const places::graph& g, place processor, place memory) {
  const place_kind kind = g.is.places[memory.index].kind;
  if (processor == memory) return true;
  if (!g.memory[memory.index] || !g.processor[processor.index]) return false;
  if (g.is.places[processor.index].kind != place_kind::gpu)
    return kind == place_kind::numa || kind == place_kind::system_memory || kind == place_kind::pinned_memory;
  if (kind != place_kind::gpu_memory && kind != place_kind::pinned_memory) return false;
  const auto& adjacent = g.adjacent.of(processor);
  return std::any_of(adjacent.begin(), adjacent.end(), [&](const auto& e) { return place{e.to} == memory; });
}

}  // namespace

std::vector<place_affinity> platform::affinities(place from, place_role to) const {
  entry(*graph_, from);
  // Nearness of small data: what a processor feels when it loads, not what a large copy costs.
  const places::cheapest_routes routes(*graph_, from, 64);
  std::vector<std::pair<double, place_affinity>> found;
  for (const place p : those(*graph_, [&](place p) { return p != from && role_of(*graph_, to)[p.index]; }))
    if (const auto found_route = routes.to(p))
      found.emplace_back(
          found_route->cost_seconds,
          place_affinity{p, found_route->places.size() - 1, found_route->bandwidth_bytes_per_second,
                         found_route->latency_seconds, addresses(*graph_, from, p) || addresses(*graph_, p, from)});
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.hops) < std::pair(b.first, b.second.hops);
  });
  std::vector<place_affinity> sorted;
  for (auto& f : found) sorted.push_back(f.second);
  return sorted;
}

std::optional<place> platform::nearest(place from, place_kind kind) const {
  entry(*graph_, from);
  return places::nearest(*graph_, from, kind);
}

std::optional<transfer_route> platform::route(place from, place to, std::uint64_t bytes) const {
  entry(*graph_, from), entry(*graph_, to);
  if (copies_) return copies_->route(from, to, bytes);
  auto found_route = places::cheapest_routes(*graph_, from, bytes).to(to);
  if (!found_route) return std::nullopt;
  return transfer_route{std::move(found_route->places), found_route->bandwidth_bytes_per_second,
                        found_route->latency_seconds, std::move(found_route->legs)};
}

platform platform::measured() const { return build(places::measure(*graph_)); }

std::string platform::to_json() const { return places::locality_graph_of(*graph_); }
std::string platform::to_tree() const { return places::text_tree(*graph_); }
std::string platform::to_dot() const { return places::graphviz_text(*graph_); }
std::string platform::to_svg() const { return places::svg_of(to_dot()); }

bool operator==(const platform& a, const platform& b) noexcept {
  return a.graph_ == b.graph_ || a.graph_->is == b.graph_->is;
}

const platform& this_machine() {
  return *base::require_current("this_machine").runtime->get<const platform>(base::floor_slot::platform);
}

}  // namespace stretto
