#include "platform/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/plain_number.hpp"

namespace stretto::places {
namespace {

std::string bytes(std::uint64_t n) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(n);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  return base::plain_number(value, 4) + " " + units[unit];
}

std::string rate(double bytes_per_second) { return base::plain_number(bytes_per_second / 1e9, 3) + " GB/s"; }

std::string seconds(double s) {
  return s < 1e-6   ? base::plain_number(s * 1e9, 3) + " ns"
         : s < 1e-3 ? base::plain_number(s * 1e6, 3) + " us"
                    : base::plain_number(s * 1e3, 3) + " ms";
}

std::string cpu_text(const std::vector<std::uint32_t>& cpus) {
  std::string out;
  for (const auto c : cpus) out += (out.empty() ? "" : " ") + std::to_string(c);
  return out;
}

std::string figures(const std::optional<double>& bandwidth, const std::optional<double>& latency) {
  std::string out;
  if (bandwidth) out += rate(*bandwidth);
  if (latency) out += (out.empty() ? "" : ", ") + seconds(*latency);
  return out;
}

/// The workers whose home each place is.
std::vector<std::vector<std::size_t>> workers_at(const graph& g) {
  std::vector<std::vector<std::size_t>> at(g.is.places.size());
  for (std::size_t w = 0; w < g.homes.size(); ++w) at[g.homes[w].index].push_back(w);
  return at;
}

std::string worker_text(const std::vector<std::size_t>& workers) {
  if (workers.empty()) return {};
  if (workers.size() == 1) return "worker " + std::to_string(workers[0]);
  if (workers.size() > 8) return std::to_string(workers.size()) + " workers";
  std::string out = "workers";
  for (const auto w : workers) out += ' ' + std::to_string(w);
  return out;
}

std::string details(const place_description& p, const std::vector<std::size_t>& workers) {
  std::string out(to_string(p.kind));
  if (p.capacity_bytes) out += ", " + bytes(*p.capacity_bytes);
  if (p.device_index) out += ", device " + std::to_string(*p.device_index);
  if (!p.cpus.empty()) out += (p.cpus.size() == 1 ? ", cpu " : ", cpus ") + cpu_text(p.cpus);
  if (p.bandwidth_bytes_per_second) out += ", copies " + rate(*p.bandwidth_bytes_per_second);
  if (p.latency_seconds) out += ", hand-off " + seconds(*p.latency_seconds);
  if (const auto w = worker_text(workers); !w.empty()) out += "; " + w;
  return out;
}

std::size_t width(std::string_view text) {  // characters, not bytes
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class tree {
 public:
  explicit tree(const graph& g)
      : g_(g), seen_(g.is.places.size(), false), children_(g.is.places.size()), in_tree_(g.is.links.size(), false) {}

  std::string text() {
    for (auto kind = static_cast<int>(place_kind::system_memory); kind >= 0; --kind)
      grow_from(static_cast<place_kind>(kind));
    for (auto kind = static_cast<int>(place_kind::system_memory) + 1; kind < static_cast<int>(place_kind_count); ++kind)
      grow_from(static_cast<place_kind>(kind));
    std::size_t widest = 0;
    for (const auto& [left, right] : lines_) widest = std::max(widest, width(left));
    std::string out;
    for (const auto& [left, right] : lines_) out += left + std::string(widest - width(left) + 2, ' ') + right + '\n';
    for (std::size_t i = 0; i < g_.is.links.size(); ++i) {
      const auto& l = g_.is.links[i];
      const auto f = figures(l.bandwidth_bytes_per_second, l.latency_seconds);
      if (in_tree_[i] && f.empty()) continue;
      out += name(l.a) + " - " + name(l.b) + (f.empty() ? "" : "  " + f) + '\n';
    }
    return out;
  }

 private:
  const std::string& name(place p) const { return g_.is.places[p.index].name; }

  /// Trees from all places of a kind that no tree has reached yet, breadth first so that they are shallow.
  void grow_from(place_kind kind) {
    const auto workers = workers_at(g_);
    for (std::uint32_t root = 0; root < seen_.size(); ++root) {
      if (seen_[root] || g_.is.places[root].kind != kind) continue;
      std::vector<place> order{{root}};
      seen_[root] = true;
      for (std::size_t i = 0; i < order.size(); ++i)
        for (const auto& e : g_.adjacent.of(order[i]))
          if (!seen_[e.to]) {
            seen_[e.to] = true, in_tree_[e.link] = true;
            children_[order[i].index].push_back({e.to});
            order.push_back({e.to});
          }
      print({root}, "", "", workers);
    }
  }

  void print(place root, const std::string& first, const std::string& rest,
             const std::vector<std::vector<std::size_t>>& workers) {
    struct item {
      place p;
      std::string first, rest;
    };
    std::vector<item> stack{{root, first, rest}};  // no recursion: a graph may be one long chain
    while (!stack.empty()) {
      const item at = std::move(stack.back());
      stack.pop_back();
      lines_.emplace_back(at.first + name(at.p), details(g_.is.places[at.p.index], workers[at.p.index]));
      const auto& below = children_[at.p.index];
      for (std::size_t i = below.size(); i-- > 0;) {
        const bool last = i + 1 == below.size();
        const bool deep = at.rest.size() > 3 * 64;  // beyond that, indentation shows nothing more
        stack.push_back(
            {below[i], at.rest + (last ? "└─ " : "├─ "), deep ? at.rest : at.rest + (last ? "   " : "│  ")});
      }
    }
  }

  const graph& g_;
  std::vector<bool> seen_;
  std::vector<std::vector<place>> children_;
  std::vector<bool> in_tree_;
  std::vector<std::pair<std::string, std::string>> lines_;
};

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

const char* colour(place_kind kind) {
  switch (kind) {
    case place_kind::core: return "#cfe8cf";
    case place_kind::numa:
    case place_kind::system_memory:
    case place_kind::pinned_memory: return "#cfdcf0";
    case place_kind::package: return "#e8e8e8";
    case place_kind::gpu: return "#b9e0b0";
    case place_kind::gpu_memory: return "#b8cdf0";
    case place_kind::global_memory: return "#a8d8d8";
    case place_kind::interconnect: return "#f0d8c0";
    case place_kind::storage: return "#e0d0ea";
    case place_kind::other: return "#ffffff";
    default: return "#f4efcf";  // caches
  }
}

}  // namespace

std::string text_tree(const graph& g) { return tree(g).text(); }

std::string graphviz_text(const graph& g) {
  const auto workers = workers_at(g);
  std::string out =
      "graph platform {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", "
      "fontname=\"Helvetica\", fontsize=11];\n"
      "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#808080\"];\n";
  for (std::size_t i = 0; i < g.is.places.size(); ++i) {
    const auto& p = g.is.places[i];
    auto label = dot_quoted(p.name + '\n' + details(p, workers[i]));
    for (std::size_t at; (at = label.find('\n')) != label.npos;) label.replace(at, 1, "\\n");
    out += fmt::format("  p{} [label={}, fillcolor=\"{}\"];\n", i, label, colour(p.kind));
  }
  // Links point inwards, so that memory is drawn above the processors.
  const auto& places = g.is.places;
  for (const auto& l : g.is.links) {
    const bool turn =
        places[l.a.index].kind < places[l.b.index].kind && places[l.b.index].kind <= place_kind::system_memory;
    const auto f = figures(l.bandwidth_bytes_per_second, l.latency_seconds);
    out += fmt::format("  p{} -- p{}{};\n", turn ? l.b.index : l.a.index, turn ? l.a.index : l.b.index,
                       f.empty() ? "" : " [label=\"" + f + "\"]");
  }
  return out + "}\n";
}

}  // namespace stretto::places
