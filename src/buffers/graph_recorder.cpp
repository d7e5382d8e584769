#include "buffers/graph_recorder.hpp"

#include <stretto/error.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/write_access.hpp"
#include "graph/labels.hpp"
#include "platform/graphviz.hpp"

namespace stretto::buffers {
namespace {

/// The task without custom functions: these may refer to objects that no longer exist when the graph is written.
graph::task without_functions(graph::task t) {
  for (graph::access& a : t.accesses)
    if (a.where.is_custom())
      a.where = graph::mapping::custom(a.where.elements(),
                                       [all = graph::used_by_all(a, t)](const box&, const box&) { return all; });
  return t;
}

}  // namespace

graph_recorder::graph_recorder(settings s, std::span<const graph::node_number> nodes, const graph::node_shape& shape)
    : settings_(std::move(s)) {
  const auto ends_in = [&](const char* ending) { return settings_.file.ends_with(ending); };
  using kind = base::graph_kind;
  const bool is_timeline = settings_.kind == kind::timeline,
             is_predicted = is_timeline || settings_.kind == kind::prediction;
  if (!ends_in(".json") && (is_predicted || (!ends_in(".dot") && !ends_in(".svg"))))
    throw error("B17", "the file name extension must match the graph format")
        .fact("file", settings_.file)
        .fact("allowed", is_timeline    ? ".json, for Perfetto and chrome://tracing"
                         : is_predicted ? ".json"
                                        : ".dot for Graphviz, .json for programs, or .svg, a picture")
        .remedy("STRETTO_GRAPH=" + settings_.file + (is_predicted ? ".json" : ".dot"));
  if (const int reason = base::write_access_error(settings_.file)) throw not_written(reason);
  for (const graph::node_number n : nodes) nodes_.push_back({.node = n, .shape = shape});
}

void graph_recorder::add(const graph::buffer& b, std::uint32_t element_bytes) {
  if (program_.is_truncated) return;
  program_.buffers.push_back(b);
  program_.element_bytes.push_back(element_bytes);
}

void graph_recorder::add(const graph::ordered_task& order, const graph::task& t,
                         std::vector<graph::unwritten_read> unwritten) {
  if (kept_ >= settings_.most) program_.is_truncated = true;
  if (program_.is_truncated) return;
  ++kept_;
  program_.tasks.emplace_back(order, without_functions(t));
  if (!unwritten.empty()) program_.unwritten[order.id.number] = std::move(unwritten);
}

void graph_recorder::add(std::size_t n, std::span<const graph::command> commands,
                         std::span<const graph::instruction> instructions) {
  if (program_.is_truncated) return;
  using kind = base::graph_kind;
  graph::node_record& node = nodes_[n];
  if (settings_.kind == kind::commands) {
    node.commands.insert(node.commands.end(), commands.begin(), commands.end());
    kept_ += commands.size();
  } else if (settings_.kind != kind::tasks) {
    node.instructions.insert(node.instructions.end(), instructions.begin(), instructions.end());
    kept_ += instructions.size();
  }
}

std::string graph_recorder::prediction() const {
  if (settings_.kind != base::graph_kind::timeline) return {};
  return "predicted: " + summary_of(predict(program_, nodes_, settings_.costs), nodes_);
}

std::string graph_recorder::text() const {
  const bool as_json = settings_.file.ends_with(".json");
  std::string text;
  switch (settings_.kind) {
    case base::graph_kind::tasks: text = as_json ? tasks_as_json(program_) : tasks_as_dot(program_); break;
    case base::graph_kind::commands:
      text = as_json ? commands_as_json(program_, nodes_) : commands_as_dot(program_, nodes_);
      break;
    case base::graph_kind::timeline:
      text = timeline_as_json(program_, nodes_, predict(program_, nodes_, settings_.costs));
      break;
    case base::graph_kind::prediction:
      text = prediction_as_json(program_, nodes_, predict(program_, nodes_, settings_.costs), seconds_per_task_);
      break;
    case base::graph_kind::instructions:
      text = as_json ? instructions_as_json(program_, nodes_) : instructions_as_dot(program_, nodes_);
      break;
  }
  return settings_.file.ends_with(".svg") ? places::svg_of(text) : text;
}

void graph_recorder::write() const {
  const std::string all = text();
  errno = 0;
  std::ofstream file(settings_.file, std::ios::binary);
  file << all;
  file.close();
  if (file) return;
  throw not_written(errno);
}

error graph_recorder::not_written(int reason) const {
  return error("B18", "the graph of the operations on buffers could not be written")
      .fact("file", settings_.file)
      .because(reason ? std::strerror(reason) : "the system gave no reason")
      .remedy("name a file in a folder that exists: STRETTO_GRAPH=graph.dot");
}

}  // namespace stretto::buffers
