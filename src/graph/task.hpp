// task.hpp - one launch, as the program said it: the same on every node.
#pragma once

#include <bit>
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

/// Each chunk makes a partial value of every element, and what all of them are folded into is the buffer's content afterwards, the same
/// on every node. The task uses the buffer in no other way.
struct reduction {
  buffer_id buffer;
  bool includes_current = false;  // what the buffer holds before is folded, too
};

enum class task_kind : std::uint8_t {
  kernel,      // divided over the nodes
  one,         // whole, on node 0
  each,        // whole, on every node
  collective,  // divided so that node n has number n of as many as there are nodes; those of a group follow one another
  fence,       // as each: what it reads goes to the program on every node
  horizon,     // follows all that nobody follows yet
  epoch,       // as a horizon, and everything later follows it
};

constexpr bool is_on_every_node(task_kind k) noexcept { return k == task_kind::each || k == task_kind::fence; }

/// Something outside of buffers that a task changes on its node, or uses between those that do.
struct effect_use {
  std::uint32_t effect = 0;
  bool is_affected = true;
  std::string name = {};

  /// What nodes compare.
  std::uint64_t key() const noexcept { return std::uint64_t{effect} << 1 | std::uint64_t{is_affected}; }
};

/// Which processors of a node compute its chunk.
enum class processors : std::uint8_t { devices, host };

struct task {
  task_kind kind = task_kind::kernel;
  processors by = processors::devices;
  std::uint64_t devices = 0;  // by which of this node's alone, by bits; 0: by all. Nodes with other devices have others here
  box range;
  cut how = cut::along_rows;
  extent grain = unit;
  bool is_by_chunk = false;  // one call computes a chunk: in it, items come in the order of the function's own
  std::uint32_t pieces = 1;  // into which each processor's part is cut, so that one is computed while another's elements are on their way
  std::vector<access> accesses;
  std::vector<reduction> reductions;
  std::uint32_t group = 0;  // of a collective task
  std::vector<effect_use> effects = {};
  std::string name;
  std::uint64_t shape = 0;  // tasks with the same are equal in all of the above; 0: nothing is known of that
};

/// Those that it names; none: all.
inline std::vector<std::uint32_t> devices_of(const task& t) {
  std::vector<std::uint32_t> all;
  for (std::uint64_t left = t.devices; left; left &= left - 1) all.push_back(static_cast<std::uint32_t>(std::countr_zero(left)));
  return all;
}

/// What the elements of a buffer are before any task has written them.
enum class initial_data : std::uint8_t { none, replicated };

struct buffer {
  box elements;
  initial_data initial = initial_data::none;
  std::string name;
  std::uint32_t element_bytes = 1;
};

}  // namespace stretto::graph
