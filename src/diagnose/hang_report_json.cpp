#include <nlohmann/json.hpp>

#include <algorithm>

#include <stretto/error.hpp>

#include "diagnose/hang_report.hpp"

namespace stretto::diagnose {
namespace {

using base::wait_node;
using base::wait_snapshot;
using nlohmann::json;

json written(const wait_node& n) {
  json out{{"kind", base::wait_kind_names[static_cast<unsigned>(n.kind)]}, {"waits_for", n.waits_for}};
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  text("name", n.name);
  text("made", n.made);
  text("waits_at", n.waits_at);
  text("what_for", n.what_for);
  text("held_by", n.held_by);
  text("on", n.on);
  text("everywhere", n.everywhere);
  if (n.is_promised) out["is_promised"] = true;
  if (n.is_end) out["is_end"] = true;
  if (n.is_running) out["is_running"] = true;
  if (n.expected)
    out["arrivals"] = {{"expected", n.expected}, {"come", n.arrived}, {"announced", n.announced}, {"at", n.arrived_at}};
  return out;
}

wait_node read_node(const json& in, std::size_t count) {
  wait_node n;
  const std::string kind = in.at("kind");
  const auto found = std::ranges::find(base::wait_kind_names, kind);
  if (found == std::end(base::wait_kind_names)) throw std::runtime_error("no kind is \"" + kind + "\"");
  n.kind = static_cast<base::wait_kind>(found - std::begin(base::wait_kind_names));
  n.name = in.value("name", "");
  n.made = in.value("made", "");
  n.waits_at = in.value("waits_at", "");
  n.what_for = in.value("what_for", "");
  n.held_by = in.value("held_by", "");
  n.on = in.value("on", "");
  n.everywhere = in.value("everywhere", "");
  n.is_promised = in.value("is_promised", false);
  n.is_end = in.value("is_end", false);
  n.is_running = in.value("is_running", false);
  if (const auto arrivals = in.find("arrivals"); arrivals != in.end()) {
    n.expected = arrivals->at("expected");
    n.arrived = arrivals->at("come");
    n.announced = arrivals->at("announced");
    n.arrived_at = arrivals->value("at", std::vector<std::string>());
  }
  n.waits_for = in.at("waits_for").get<std::vector<std::uint32_t>>();
  for (const auto to : n.waits_for)
    if (to >= count) throw std::runtime_error("a node waits for node " + std::to_string(to) + ", which is not there");
  return n;
}

}  // namespace

std::string to_json(std::span<const wait_snapshot> runtimes) {
  json all = json::array();
  for (const auto& s : runtimes) {
    json workers = json::array(), nodes = json::array();
    for (const auto& w : s.workers) {
      workers.push_back({{"index", w.index},
                         {"is_idle", w.is_idle},
                         {"runs", w.runs},
                         {"seconds", w.seconds},
                         {"thread", w.kernel_thread},
                         {"stack", w.stack}});
      if (!w.on.empty()) workers.back()["on"] = w.on;
    }
    for (const auto& n : s.nodes) nodes.push_back(written(n));
    json one{{"node", s.node},         {"seconds", s.seconds}, {"is_proven", s.is_proven},
             {"unproven", s.unproven}, {"workers", workers},   {"nodes", nodes}};
    if (s.of_nodes > 1) one["of_nodes"] = s.of_nodes;
    if (s.told.looks)
      one["told"] = {{"looks", s.told.looks},
                     {"longest_pause", s.told.longest_pause},
                     {"processor_seconds", s.told.processor_seconds}};
    all.push_back(std::move(one));
  }
  return json{{"stretto_stuck", 1}, {"runtimes", all}}.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::vector<wait_snapshot> from_json(std::string_view text) {
  try {
    const json whole = json::parse(text);
    if (whole.at("stretto_stuck") != 1) throw std::runtime_error("its version is not 1");
    std::vector<wait_snapshot> out;
    for (const json& in : whole.at("runtimes")) {
      wait_snapshot s;
      s.node = in.at("node");
      s.of_nodes = in.value("of_nodes", 1u);
      s.seconds = in.at("seconds");
      s.is_proven = in.at("is_proven");
      s.unproven = in.at("unproven").get<std::vector<std::string>>();
      for (const json& w : in.at("workers"))
        s.workers.push_back({w.at("index"), w.at("is_idle"), w.at("runs"), w.at("seconds"), w.value("thread", 0),
                             w.value("stack", std::vector<std::string>()), w.value("on", "")});
      if (const auto told = in.find("told"); told != in.end())
        s.told = {told->at("looks"), told->at("longest_pause"), told->at("processor_seconds")};
      for (const json& n : in.at("nodes")) s.nodes.push_back(read_node(n, in.at("nodes").size()));
      out.push_back(std::move(s));
    }
    return out;
  } catch (const std::exception& e) {
    throw error("H20", "the file is not a hang report")
        .because(e.what())
        .remedy("give a file that was written for STRETTO_STUCK_FILE");
  }
}

}  // namespace stretto::diagnose
