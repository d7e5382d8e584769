#include "report/operation_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stretto/error.hpp>

#include "base/nearest_name.hpp"
#include "report/analysis.hpp"
#include "report/json_scanner.hpp"

namespace stretto::report {
namespace {

constexpr std::size_t most_names_to_compare = 10'000;

error no_such(const run& r, const std::string& around) {
  std::set<std::string> names;
  for (const label& l : r.labels)
    if (names.size() < most_names_to_compare) names.insert(plain_name(l.name, 200));
  const auto near = base::did_you_mean(around, std::vector<std::string>(names.begin(), names.end()));
  return error("T14", fmt::format("no recorded operation is called \"{}\"", plain_name(around, 200)))
      .fact("file", plain_name(r.title, 200))
      .remedy(near.empty() ? "stretto report lists the names; an id is written as 0x1f" : near);
}

// Breadth first along the arrows, in both directions.
std::vector<bool> chosen(const run& r, const graph_part& wanted) {
  const nanoseconds to = wanted.to.value_or(r.length);
  std::vector<bool> in_time(r.records.size());
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    in_time[i] = is_work(r.records[i].kind) && r.records[i].end >= wanted.from && r.records[i].start <= to;
  if (wanted.around.empty()) return in_time;

  const std::uint64_t id = wanted.around.starts_with("0x") ? number_in(wanted.around) : 0;
  std::vector<std::uint32_t> front;
  std::vector<bool> found(r.records.size(), false);
  for (std::uint32_t i = 0; i < r.records.size(); ++i)
    if (is_work(r.records[i].kind) && (id != 0 ? r.records[i].id == id : r.label_of(i).name == wanted.around)) {
      found[i] = true;
      front.push_back(i);
    }
  if (front.empty()) throw no_such(r, wanted.around);
  std::vector<std::vector<std::uint32_t>> behind(r.records.size());
  for (const edge& e : r.edges) behind[e.from].push_back(e.to);
  for (unsigned depth = 0; depth < wanted.depth && !front.empty(); ++depth) {
    std::vector<std::uint32_t> next;
    const auto visit = [&](std::uint32_t i) {
      if (found[i] || !is_work(r.records[i].kind)) return;
      found[i] = true;
      next.push_back(i);
    };
    for (const std::uint32_t i : front) {
      for (const edge& e : r.into(i)) visit(e.from);
      for (const std::uint32_t to_record : behind[i]) visit(to_record);
    }
    front = std::move(next);
  }
  for (std::uint32_t i = 0; i < r.records.size(); ++i) found[i] = found[i] && in_time[i];
  return found;
}

std::string key_of(const record& one, const label& l, std::uint32_t i, collapse how) {
  if (how == collapse::by_name) return fmt::format("{} {}", name(one.kind), l.name);
  if (how == collapse::by_family) return fmt::format("{} {}", name(one.kind), family_of(l.name));
  return one.id != 0 ? fmt::format("#{}", one.id) : fmt::format("@{}", i);  // the parts of one operation are one node
}

const char* colour(kind k) noexcept {
  switch (k) {
    case kind::copy:
    case kind::message: return "#cfdcf0";
    case kind::fill: return "#e8e8e8";
    case kind::reduce: return "#f0d8c0";
    case kind::kernel: return "#b9e0b0";
    default: return "#fdf3cf";
  }
}

std::string dot_text(std::string_view text) {
  std::string out;
  for (const char c : plain_name(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

graph part_of(const run& r, const graph_part& wanted) {
  const auto in = chosen(r, wanted);
  graph g;
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> node_of(r.records.size(), no_record);
  for (std::uint32_t i = 0; i < r.records.size(); ++i) {
    if (!in[i]) continue;
    const record& one = r.records[i];
    const label& l = r.label_of(i);
    const auto [row, is_new] =
        known.try_emplace(key_of(one, l, i, wanted.collapse), static_cast<std::uint32_t>(g.nodes.size()));
    node_of[i] = row->second;
    if (!is_new) {
      g.nodes[row->second].time += one.self;
      if (wanted.collapse != collapse::nothing) ++g.nodes[row->second].count;
      continue;
    }
    if (g.nodes.size() == wanted.most)
      throw error("T16", "the part of the run is too large to draw")
          .fact("file", plain_name(r.title, 200))
          .fact("at most", fmt::format("{} operations", wanted.most))
          .remedy("narrow it with --around or --from and --to, or join operations with --collapse family");
    g.nodes.push_back({wanted.collapse == collapse::by_family ? family_of(l.name) : l.name, l.at, one.kind,
                       wanted.collapse == collapse::nothing ? one.id : 0, 1, one.start, one.self});
  }
  if (g.nodes.empty())
    throw error("T15", "no recorded operation lies in that part of the run")
        .fact("file", plain_name(r.title, 200))
        .fact("the run", "0 to " + time_text(r.length))
        .remedy("choose a time within the run, or a larger --depth");
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> arrows;
  for (const edge& e : r.edges) {
    const std::uint32_t from = node_of[e.from], to = node_of[e.to];
    if (from != no_record && to != no_record && (from != to || wanted.collapse != collapse::nothing))
      ++arrows[{from, to}];
  }
  for (const auto& [ends, count] : arrows) g.arrows.push_back({ends.first, ends.second, count});
  return g;
}

std::string to_dot(const graph& g) {
  std::string out =
      "digraph run {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", "
      "fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const graph_node& n = g.nodes[i];
    const std::string times = n.count == 1 ? "" : fmt::format("{} x, ", n.count);
    out += fmt::format("  n{} [label=\"{}\\n{}{}\", tooltip=\"{} {}\", fillcolor=\"{}\"];\n", i, dot_text(n.name),
                       times, time_text(n.time), name(n.kind), dot_text(n.at), colour(n.kind));
  }
  for (const graph_arrow& a : g.arrows)
    out += fmt::format("  n{} -> n{}{};\n", a.from, a.to, a.count == 1 ? "" : fmt::format(" [label=\"{}\"]", a.count));
  return out + "}\n";
}

nlohmann::ordered_json to_json(const graph& g) {
  auto nodes = nlohmann::ordered_json::array(), arrows = nodes;
  for (const graph_node& n : g.nodes) {
    nlohmann::ordered_json row{{"kind", name(n.kind)}, {"name", n.name},   {"at", n.at},
                               {"count", n.count},     {"start", n.start}, {"time", n.time}};
    if (n.id != 0) row["id"] = fmt::format("0x{:x}", n.id);
    nodes.push_back(std::move(row));
  }
  for (const graph_arrow& a : g.arrows) arrows.push_back({{"from", a.from}, {"to", a.to}, {"count", a.count}});
  return {{"nodes", std::move(nodes)}, {"arrows", std::move(arrows)}};
}

}  // namespace stretto::report
