#include "buffers/dry_run.hpp"

#include <fmt/format.h>

#include <stretto/error.hpp>

#include <charconv>
#include <string_view>

namespace stretto::buffers {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  std::size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

/// Parses "0,2-4"; empty if it is no list, or names a node that does not exist.
graph::node_set set_of(std::string_view list, graph::node_number nodes) {
  if (list == "all") return graph::node_set(0, nodes);
  graph::node_set all;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view one = list.substr(0, comma);
    const auto dash = one.find('-');
    const auto number = [&](std::string_view text) {
      graph::node_number n = nodes;
      const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
      return fault == std::errc() && end == text.data() + text.size() ? n : nodes;
    };
    const graph::node_number first = number(one.substr(0, dash)),
                             last = dash == one.npos ? first : number(one.substr(dash + 1));
    if (first > last || last >= nodes) return {};
    all |= graph::node_set(first, last + 1);
    if (comma == list.npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) return {};
  }
  return all;
}

}  // namespace

dry_settings dry_settings_of(const base::settings& s) {
  dry_settings dry;
  dry.nodes = static_cast<graph::node_number>(s.dry_nodes);
  if (!dry.nodes) return dry;
  dry.devices = s.dry_devices;
  dry.memory_bytes = s.device_memory;
  const graph::node_set which = set_of(s.dry_node, dry.nodes);
  if (which.is_empty())
    throw error("B21", fmt::format("option dry_node cannot be \"{}\"", s.dry_node))
        .fact("allowed", dry.nodes == 1 ? "0, as there is one node"
                                        : fmt::format("nodes from 0 to {0}, such as 0,{0}, or all", dry.nodes - 1))
        .fact("nodes", fmt::format("{}, by option dry_nodes", dry.nodes))
        .remedy("STRETTO_DRY_NODE=0");
  for (const auto& i : which.intervals())
    for (graph::node_number n = i.first; n < i.last; ++n) dry.which.push_back(n);
  return dry;
}

dry_run::dry_run(const dry_settings& s, const graph::node_shape& shape)
    : nodes_(s.nodes), self_(s.which.front()), devices_(shape.devices.size()) {
  for (const graph::node_number n : s.which) {
    looked_at_.append(n, n + 1);
    if (n != self_) others_.push_back(std::make_unique<other_node>(n, nodes_, shape));
  }
}

void dry_run::add(const graph::buffer& b, std::uint32_t element_bytes, graph_recorder* record) {
  element_bytes_.push_back(element_bytes);
  for (std::size_t n = 0; n < others_.size(); ++n) {
    std::vector<graph::instruction> made;
    others_[n]->commands.add(b);
    others_[n]->instructions.add(b, made);
    counted_.add(made, element_bytes_);
    if (record) record->add(n + 1, {}, made);
  }
}

void dry_run::remove(graph::buffer_id b, graph_recorder* record) {
  for (std::size_t n = 0; n < others_.size(); ++n) {
    std::vector<graph::instruction> made;
    others_[n]->commands.remove(b);
    others_[n]->instructions.remove(b, made);
    counted_.add(made, element_bytes_);
    if (record) record->add(n + 1, {}, made);
  }
}

void dry_run::check(const graph::task& t) {
  for (const auto& n : others_) n->instructions.check(t, n->commands.own_chunk(t));
}

void dry_run::add(const graph::ordered_task& order, const graph::task& t, graph_recorder* record) {
  ++(t.kind == graph::task_kind::horizon ? horizons_ : tasks_);
  for (std::size_t n = 0; n < others_.size(); ++n) {
    std::vector<graph::command> commands;
    std::vector<graph::instruction> instructions;
    others_[n]->commands.add(order.id, t, commands);
    others_[n]->commands.take_unwritten_reads();
    others_[n]->instructions.add(order.id, t, commands, instructions);
    counted_.add(commands);
    counted_.add(instructions, element_bytes_);
    if (record) record->add(n + 1, commands, instructions);
  }
}

void dry_run::count(std::span<const graph::command> commands, std::span<const graph::instruction> instructions) {
  counted_.add(commands);
  counted_.add(instructions, element_bytes_);
}

void dry_run::set_weights(const graph::chunk_weights& nodes, const graph::chunk_weights& devices) {
  for (const auto& n : others_) {
    n->commands.set_weights(nodes);
    n->instructions.forget_plans();
    n->instructions.set_weights(devices);
  }
}

void dry_run::forget_shapes() {
  for (const auto& n : others_) n->commands.forget_shapes();
}

std::string dry_run::text() const {
  const auto some = [](std::uint64_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  return fmt::format(
      "dry run as {} of {}, {} each: {}, {}; commands: {}; instructions: {}; sends {}, receives {}; {} us per task and "
      "node",
      looked_at_.text(), some(nodes_, "node"), devices_ ? some(devices_, "device") : "no devices", some(tasks_, "task"),
      some(horizons_, "horizon"), graph::text_of(counted_.commands), graph::text_of(counted_.instructions),
      bytes_text(counted_.sent_bytes), bytes_text(counted_.received_bytes),
      tasks_ ? fmt::format("{:.1f}", seconds_per_task() * 1e6) : "0");
}

}  // namespace stretto::buffers
