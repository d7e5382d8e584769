// dry_run.hpp - runs a program as one node of a simulated job: generates and counts the work of the nodes, but does not
// do it.
//
// Threads     one owner.
// Cost        generating the graphs, once for each simulated node.
// Invariants  (1) the work of a node is what it would generate itself: the same calls make the same graphs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "buffers/graph_recorder.hpp"
#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/node_set.hpp"
#include "graph/work_counts.hpp"

namespace stretto::buffers {

/// The simulated nodes and the size of the job. 0 nodes: not a dry run.
struct dry_settings {
  graph::node_number nodes = 0;
  std::vector<graph::node_number> which = {};  // ascending; the program runs as the first
  std::size_t devices = 0;                     // of each node; 0: the devices of this machine
  std::uint64_t memory_bytes = 0;              // of each of these devices; 0: unbounded
};

/// From the options dry_run and device_memory.
///
///   throws   B21 for a size that no job has, or a list that names none of its nodes
dry_settings dry_settings_of(const base::settings& s);

class dry_run {
 public:
  dry_run(const dry_settings& s, const graph::node_shape& shape);

  void add(const graph::buffer& b, std::uint32_t element_bytes, graph_recorder* record);
  void remove(graph::buffer_id b, graph_recorder* record);
  /// Throws the errors that the other nodes would: their commands are the same, but not the chunks of their devices.
  void check(const graph::task& t);
  /// Generates the work of the other nodes for the task.
  void add(const graph::ordered_task& order, const graph::task& t, graph_recorder* record);
  /// Counts the work of the node as which the program runs.
  void count(std::span<const graph::command> commands, std::span<const graph::instruction> instructions);
  /// Adds the time to generate a task and the horizon behind it.
  void add_generation_time(std::uint64_t nanoseconds) noexcept { nanoseconds_ += nanoseconds; }
  double seconds_per_task() const noexcept {
    return tasks_ ? static_cast<double>(nanoseconds_) / 1e9 / static_cast<double>(tasks_) : 0;
  }
  /// As in command_graph and instruction_graph, for all nodes and for the devices of each.
  void set_weights(const graph::chunk_weights& nodes, const graph::chunk_weights& devices);
  /// Releases custom mappings.
  void forget_shapes();

  graph::node_number nodes() const noexcept { return nodes_; }
  graph::node_number self() const noexcept { return self_; }
  const graph::work_counts& counted() const noexcept { return counted_; }
  /// One line with the totals of all simulated nodes.
  std::string text() const;

 private:
  struct other_node {
    other_node(graph::node_number n, graph::node_number nodes, const graph::node_shape& shape)
        : commands(n, nodes), instructions(shape) {}
    graph::command_graph commands;
    graph::instruction_graph instructions;
  };

  const graph::node_number nodes_, self_;
  const std::size_t devices_;
  graph::node_set simulated_nodes_;
  std::vector<std::unique_ptr<other_node>> others_;
  std::vector<std::uint32_t> element_bytes_;  // by buffer number
  graph::work_counts counted_;
  std::uint64_t tasks_ = 0, horizons_ = 0, nanoseconds_ = 0;
};

}  // namespace stretto::buffers
