// graph_recorder.hpp - records the buffer operations of a program until the runtime ends, and writes them as a graph.
//
// Threads     one owner.
// Memory      bounded: after 250,000 tasks, commands and instructions the recording is truncated, and the graph says
//             so.
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
    graph::cost_model costs = {};  // for a timeline
    std::size_t most = 250'000;
  };

  /// `nodes`: the recorded nodes, all of that shape.
  ///
  ///   throws   B17 for another file name extension, B18 for a file that cannot be written
  graph_recorder(settings s, std::span<const graph::node_number> nodes, const graph::node_shape& shape);

  void add(const graph::buffer& b, std::uint32_t element_bytes);
  void add(const graph::ordered_task& order, const graph::task& t, std::vector<graph::unwritten_read> unwritten);
  /// Records the work of recorded node number `n` for the task added last, or for a buffer.
  void add(std::size_t n, std::span<const graph::command> commands, std::span<const graph::instruction> instructions);

  /// The measured time to generate one task of one node; 0: not measured.
  void set_seconds_per_task(double s) noexcept { seconds_per_task_ = s; }

  /// The predicted makespan; empty unless the graph is a timeline.
  std::string prediction() const;
  /// The text of the graph in the format of the file name extension. Throws P14 without Graphviz to draw it.
  std::string text() const;
  /// Throws B18 if the file cannot be written.
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
