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
  text("created_at", n.created_at);
  text("waits_at", n.waits_at);
  text("pending_on", n.pending_on);
  text("held_by", n.held_by);
  text("on", n.on);
  text("everywhere", n.everywhere);
  if (n.is_promised) out["is_promised"] = true;
  if (n.is_end) out["is_end"] = true;
  if (n.is_running) out["is_running"] = true;
  if (n.expected)
    out["arrivals"] = {
        {"expected", n.expected}, {"arrived", n.arrived}, {"announced", n.announced}, {"at", n.arrived_at}};
  return out;
}

wait_node read_node(const json& in, std::size_t count) {
  wait_node n;
  const std::string kind = in.at("kind");
  const auto found = std::ranges::find(base::wait_kind_names, kind);
  if (found == std::end(base::wait_kind_names)) throw std::runtime_error("no kind is \"" + kind + "\"");
  n.kind = static_cast<base::wait_kind>(found - std::begin(base::wait_kind_names));
  n.name = in.value("name", "");
  n.created_at = in.value("created_at", "");
  n.waits_at = in.value("waits_at", "");
  n.pending_on = in.value("pending_on", "");
  n.held_by = in.value("held_by", "");
  n.on = in.value("on", "");
  n.everywhere = in.value("everywhere", "");
  n.is_promised = in.value("is_promised", false);
  n.is_end = in.value("is_end", false);
  n.is_running = in.value("is_running", false);
  if (const auto arrivals = in.find("arrivals"); arrivals != in.end()) {
    n.expected = arrivals->at("expected");
    n.arrived = arrivals->at("arrived");
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
    if (s.detection.samples)
      one["detection"] = {{"samples", s.detection.samples},
                          {"longest_interval_seconds", s.detection.longest_interval_seconds},
                          {"processor_seconds", s.detection.processor_seconds}};
    all.push_back(std::move(one));
  }
  return json{{"stretto_stuck", 2}, {"runtimes", all}}.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::vector<wait_snapshot> from_json(std::string_view text) {
  try {
    const json whole = json::parse(text);
    if (whole.at("stretto_stuck") != 2) throw std::runtime_error("its version is not 2");
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
      if (const auto detection = in.find("detection"); detection != in.end())
        s.detection = {detection->at("samples"), detection->at("longest_interval_seconds"),
                       detection->at("processor_seconds")};
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
