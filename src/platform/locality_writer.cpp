#include "platform/locality_writer.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "platform/default_paths.hpp"
#include "platform/json_reader.hpp"
#include "platform/locality_names.hpp"

namespace stretto::places {
namespace {

std::string shortest_text(double value) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Writes a JSON object on one line.
class inline_object {
 public:
  void add(const char* key, std::string value) {
    text_ += (text_.empty() ? "\"" : ", \"") + std::string(key) + "\": " + std::move(value);
  }
  void add(const char* key, const std::optional<double>& value) {
    if (value) add(key, shortest_text(*value));
  }
  std::string object() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

std::string to_text(const place_description& p) {
  const bool is_name_alone = p.kind == kind_implied_by(p.name) && !p.capacity_bytes && p.cpus.empty() &&
                             !p.device_index && !p.bandwidth_bytes_per_second && !p.latency_seconds;
  if (is_name_alone) return json_quoted(p.name);
  inline_object m;
  m.add("name", json_quoted(p.name));
  m.add("kind", json_quoted(to_string(p.kind)));
  if (p.capacity_bytes) m.add("capacity_bytes", std::to_string(*p.capacity_bytes));
  if (!p.cpus.empty()) m.add("cpus", json_quoted(write_cpu_list(p.cpus)));
  if (p.device_index) m.add("device_index", std::to_string(*p.device_index));
  m.add("bandwidth_bytes_per_second", p.bandwidth_bytes_per_second);
  m.add("latency_seconds", p.latency_seconds);
  return m.object();
}

std::string to_text(const graph& g, const place_link& l) {
  const auto pair =
      '[' + json_quoted(g.is.places[l.a.index].name) + ", " + json_quoted(g.is.places[l.b.index].name) + ']';
  if (!l.bandwidth_bytes_per_second && !l.latency_seconds) return pair;
  inline_object m;
  m.add("between", pair);
  m.add("bandwidth_bytes_per_second", l.bandwidth_bytes_per_second);
  m.add("latency_seconds", l.latency_seconds);
  return m.object();
}

/// One expression for the places of all workers at a step of their paths: a name that is the same for all, or a prefix
/// with $(id % period / run). Nothing if there is none.
std::optional<std::string> common_step(const graph& g, std::size_t step) {
  const auto& paths = g.is.pop_paths;
  const auto name = [&](std::size_t w) -> const std::string& { return g.is.places[paths[w][step].index].name; };
  const auto workers = paths.size();
  std::size_t run = 1;  // the first workers that share worker 0's name
  while (run < workers && paths[run][step] == paths[0][step]) ++run;
  if (run == workers) return name(0);
  if (!name(0).ends_with('0')) return std::nullopt;
  const auto prefix = name(0).substr(0, name(0).size() - 1);
  std::size_t period = run;  // the next worker with worker 0's name
  while (period < workers && paths[period][step] != paths[0][step]) ++period;
  for (std::size_t w = 0; w < workers; ++w)
    if (name(w) != prefix + std::to_string(w % period / run)) return std::nullopt;
  auto expression = std::string("id");
  if (period < workers) expression += " % " + std::to_string(period);
  if (run > 1) expression += " / " + std::to_string(run);
  return prefix + "$(" + expression + ')';
}

std::optional<std::string> common_pop_path(const graph& g) {
  const auto& paths = g.is.pop_paths;
  std::string out;
  for (const auto& path : paths)
    if (path.size() != paths[0].size()) return std::nullopt;
  for (std::size_t step = 0; step < paths[0].size(); ++step) {
    const auto name = common_step(g, step);
    if (!name) return std::nullopt;
    out += (step ? ", " : "") + json_quoted(*name);
  }
  return '[' + out + ']';
}

std::string path_text(const graph& g, const std::vector<place>& path) {
  std::string out = "[";
  for (const place p : path) out += (out.size() > 1 ? ", " : "") + json_quoted(g.is.places[p.index].name);
  return out + ']';
}

/// The paths of all workers: the most frequent one as the default, and the others by worker.
std::string path_table(const std::vector<std::string>& texts) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& text : texts) ++counts[text];
  const auto most_frequent = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                               return a.second < b.second;
                             })->first;
  std::string out = "{\n    \"default\": " + std::string(most_frequent);
  for (std::size_t w = 0; w < texts.size(); ++w)
    if (texts[w] != most_frequent) out += ",\n    \"" + std::to_string(w) + "\": " + texts[w];
  return out + "\n  }";
}

std::string pop_table(const graph& g) {
  if (const auto common = common_pop_path(g)) return path_table({*common});
  std::vector<std::string> texts;
  for (const auto& path : g.is.pop_paths) texts.push_back(path_text(g, path));
  return path_table(texts);
}

std::string steal_table(const graph& g) {
  const auto homes = default_homes(g.is);
  const auto host_places = static_cast<std::size_t>(
      std::count_if(g.is.places.begin(), g.is.places.end(), [](const auto& p) { return is_host(p.kind); }));
  std::vector<std::string> texts;
  for (std::size_t w = 0; w < g.is.steal_paths.size(); ++w) {
    const auto& path = g.is.steal_paths[w];
    // Apply the rule only if the path visits the whole host: then the path itself costs as much to write.
    const bool by_rule = path.size() == host_places && path == nearest_first(g.is, g.adjacent, homes[w % homes.size()]);
    texts.push_back(by_rule ? "\"nearest\"" : path_text(g, path));
  }
  return path_table(texts);
}

}  // namespace

std::string locality_graph_of(const graph& g) {
  const auto workers = static_cast<std::uint32_t>(g.is.pop_paths.size());
  std::string out = "{\n  \"nworkers\": " + std::to_string(workers) + ",\n  \"declarations\": [";
  for (const auto& p : g.is.places) out += (&p == g.is.places.data() ? "\n    " : ",\n    ") + to_text(p);
  out += "\n  ],\n  \"reachability\": [";
  for (const auto& l : g.is.links) out += (&l == g.is.links.data() ? "\n    " : ",\n    ") + to_text(g, l);
  out += g.is.links.empty() ? "],\n  \"pop_paths\": " : "\n  ],\n  \"pop_paths\": ";
  out += pop_table(g) + ",\n  \"steal_paths\": " + steal_table(g);
  return out + "\n}\n";
}

}  // namespace stretto::places
