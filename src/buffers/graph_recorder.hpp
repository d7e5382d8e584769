// graph_recorder.hpp - what a program asks of its buffers, kept until the runtime ends, and written as a graph.
//
// Threads     one owner.
// Memory      bounded: behind 250,000 tasks, commands and instructions nothing more is kept, and the graph says so.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "graph/printing.hpp"
#include "graph/timeline.hpp"

namespace stretto::buffers {

class graph_recorder {
 public:
  struct settings {
    std::string file;  // ends in .dot, .json or .svg
    base::graph_kind kind = base::graph_kind::commands;
    graph::cost_model costs = {};  // of a timeline
    std::size_t most = 250'000;
  };

  /// `nodes`: those of whom it is recorded what they do, all of that shape.
  ///
  ///   throws   B17 for a file that ends otherwise, B18 for one that cannot be written
  graph_recorder(settings s, std::span<const graph::node_number> nodes, const graph::node_shape& shape);

  void add(const graph::buffer& b, std::uint32_t element_bytes);
  void add(const graph::ordered_task& order, const graph::task& t, std::vector<graph::unwritten_read> unwritten);
  /// What node number `n` of those recorded does for the task entered last, or for a buffer.
  void add(std::size_t n, std::span<const graph::command> commands, std::span<const graph::instruction> instructions);

  /// How long it took to find what the node does of a task; 0 if nobody measured it.
  void set_seconds_per_task(double s) noexcept { seconds_per_task_ = s; }

  /// When all would have ended; empty unless the graph is a timeline.
  std::string prediction() const;
  /// The whole text, as the ending of the file says. Throws P14 where there is no Graphviz to draw it.
  std::string text() const;
  /// Throws B18 where the file cannot be written.
  void write() const;

 private:
  error not_written(int reason) const;

  const settings settings_;
  graph::program_record program_;
  std::vector<graph::node_record> nodes_;
  std::size_t kept_ = 0;
  double seconds_per_task_ = 0;
};

}  // namespace stretto::buffers
