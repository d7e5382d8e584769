#include "buffers/dry_run.hpp"

#include <fmt/format.h>

#include <stretto/error.hpp>

#include <charconv>
#include <optional>
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

/// The whole text as a number; absent if it is none.
std::optional<graph::node_number> parsed_number(std::string_view text) {
  graph::node_number n = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (fault != std::errc() || end != text.data() + text.size()) return {};
  return n;
}

/// Parses "0,2-4"; empty if it is no list, or names a node that does not exist.
graph::node_set set_of(std::string_view list, graph::node_number nodes) {
  if (list == "all") return graph::node_set(0, nodes);
  graph::node_set all;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const std::string_view one = list.substr(0, comma);
    const auto dash = one.find('-');
    const graph::node_number first = parsed_number(one.substr(0, dash)).value_or(nodes),
                             last = dash == one.npos ? first : parsed_number(one.substr(dash + 1)).value_or(nodes);
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
  if (s.dry_nodes.empty()) return dry;
  constexpr graph::node_number most_nodes = 65536, most_devices = 63;
  const std::string_view text = s.dry_nodes;
  const auto colon = text.find(':');
  const std::string_view size = text.substr(0, colon);
  const auto times = size.find('x');
  dry.nodes = parsed_number(size.substr(0, times)).value_or(0);
  dry.devices = times == size.npos ? 0 : parsed_number(size.substr(times + 1)).value_or(most_devices + 1);
  dry.memory_bytes = s.device_memory;
  const auto refuse = [&] { return error("B21", fmt::format("option dry_nodes cannot be \"{}\"", text)); };
  if (dry.nodes == 0 || dry.nodes > most_nodes || dry.devices > most_devices)
    throw refuse()
        .fact("allowed",
              fmt::format("1 to {} nodes, and up to {} devices of each, such as 4 or 4x2", most_nodes, most_devices))
        .remedy("STRETTO_DRY_NODES=4");
  const graph::node_set which = set_of(colon == text.npos ? "0" : text.substr(colon + 1), dry.nodes);
  if (which.is_empty())
    throw refuse()
        .fact("allowed", dry.nodes == 1
                             ? "after the colon 0, as there is one node"
                             : fmt::format("after the colon nodes from 0 to {0}, such as 0,{0}, or all", dry.nodes - 1))
        .remedy(fmt::format("STRETTO_DRY_NODES={}:0", size));
  for (const auto& i : which.intervals())
    for (graph::node_number n = i.first; n < i.last; ++n) dry.which.push_back(n);
  return dry;
}

dry_run::dry_run(const dry_settings& s, const graph::node_shape& shape)
    : nodes_(s.nodes), self_(s.which.front()), devices_(shape.devices.size()) {
  for (const graph::node_number n : s.which) {
    simulated_nodes_.append(n, n + 1);
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
      simulated_nodes_.text(), some(nodes_, "node"), devices_ ? some(devices_, "device") : "no devices",
      some(tasks_, "task"), some(horizons_, "horizon"), graph::text_of(counted_.commands),
      graph::text_of(counted_.instructions), bytes_text(counted_.sent_bytes), bytes_text(counted_.received_bytes),
      tasks_ ? fmt::format("{:.1f}", seconds_per_task() * 1e6) : "0");
}

}  // namespace stretto::buffers
