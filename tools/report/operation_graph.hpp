// operation_graph.hpp - a part of the recorded operations as a graph to draw.
//
// Threads     pure.
// Errors      T14 no record has that name or id; T15 nothing ran in that time; T16 too much to draw.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "report/recorded_run.hpp"

namespace stretto::report {

enum class collapse : std::uint8_t { nothing, by_name, by_family };

struct graph_part {
  std::string around = {};             // a name, or an id such as 0x1f; empty: everywhere
  unsigned depth = 2;                  // arrows that may lie between it and a node
  nanoseconds from = 0;                // only what ran from then on,
  std::optional<nanoseconds> to = {};  // until then
  report::collapse collapse = collapse::nothing;
  std::size_t most = 2000;  // nodes
};

struct graph_node {
  std::string name, at;
  report::kind kind = kind::task;
  std::uint64_t id = 0;  // of a single operation
  std::uint64_t count = 1;
  nanoseconds start = 0, time = 0;
};

struct graph_arrow {
  std::uint32_t from = 0, to = 0;
  std::uint64_t count = 1;
};

struct graph {
  std::vector<graph_node> nodes;
  std::vector<graph_arrow> arrows;
};

/// Cost: O(records + edges).
graph part_of(const run& r, const graph_part& wanted);

/// In the language of Graphviz. Names are quoted, whatever bytes they have.
std::string to_dot(const graph& g);
nlohmann::ordered_json to_json(const graph& g);

}  // namespace stretto::report
