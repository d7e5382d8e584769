// task.hpp - one launch, as the program said it: the same on every node.
#pragma once

#include <string>
#include <vector>

#include "graph/mapping.hpp"
#include "graph/replication.hpp"

namespace stretto::graph {

enum class mode : std::uint8_t { read, write, read_write };

constexpr bool reads(mode m) noexcept { return m != mode::write; }
constexpr bool writes(mode m) noexcept { return m != mode::read; }

struct access {
  buffer_id buffer;
  mode how;
  mapping where;
};

enum class task_kind : std::uint8_t {
  kernel,   // divided over the nodes
  one,      // whole, on node 0
  each,     // whole, on every node
  horizon,  // follows all that nobody follows yet
  epoch,    // as a horizon, and everything later follows it
};

/// Which processors of a node compute its chunk.
enum class processors : std::uint8_t { devices, host };

struct task {
  task_kind kind = task_kind::kernel;
  processors by = processors::devices;
  box range;
  cut how = cut::along_rows;
  extent grain = unit;
  std::vector<access> accesses;
  std::string name;
};

/// A buffer, as it begins.
struct buffer {
  box elements;
  replication::content begins = replication::content::none;
  std::string name;
};

}  // namespace stretto::graph
