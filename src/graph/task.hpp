// task.hpp - one launch, as the program submitted it: the same on every node.
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

/// Each chunk computes a partial value of every element. The fold of all partial values becomes the value of the
/// buffer, the same on every node. The task must not use the buffer in any other way.
struct reduction {
  buffer_id buffer;
  bool includes_current = false;  // the value of the buffer before the task is folded in, too
};

enum class task_kind : std::uint8_t {
  kernel,      // divided among the nodes
  one,         // whole, on node 0
  each,        // whole, on every node
  collective,  // divided into one part for each node; tasks of a group follow one another
  fence,       // as each: the program reads the elements on every node
  horizon,     // follows all tasks without successors
  epoch,       // as a horizon, and every later task follows it
};

constexpr bool is_on_every_node(task_kind k) noexcept { return k == task_kind::each || k == task_kind::fence; }

/// A side effect: state outside of buffers that a task changes on its node (is_affected), or uses between such changes.
struct effect_use {
  std::uint32_t effect = 0;
  bool is_affected = true;
  std::string name = {};

  /// An encoding that is the same on all nodes.
  std::uint64_t key() const noexcept { return std::uint64_t{effect} << 1 | std::uint64_t{is_affected}; }
};

/// The processors of a node that compute its chunk.
enum class processors : std::uint8_t { devices, host };

struct task {
  task_kind kind = task_kind::kernel;
  processors by = processors::devices;
  std::uint64_t devices = 0;  // bit set of devices of this node that may compute it; 0: all. May differ between nodes
  box range;
  cut how = cut::along_rows;
  extent grain = unit;
  bool is_by_chunk = false;  // one call computes a chunk: the function chooses the order of the items
  // each processor's part is cut into so many pieces, to overlap the transfers of one with the computation of another
  std::uint32_t pieces = 1;
  std::vector<access> accesses;
  std::vector<reduction> reductions;
  std::uint32_t group = 0;  // group of a collective task
  std::vector<effect_use> effects = {};
  std::string name;
  std::uint64_t shape = 0;  // tasks of the same shape are equal in all of the above; 0: unknown
};

/// The devices that the task names; empty: all.
inline std::vector<std::uint32_t> devices_of(const task& t) {
  std::vector<std::uint32_t> all;
  for (std::uint64_t left = t.devices; left; left &= left - 1)
    all.push_back(static_cast<std::uint32_t>(std::countr_zero(left)));
  return all;
}

/// The elements of a buffer before any task has written them.
enum class initial_data : std::uint8_t { none, replicated };

struct buffer {
  box elements;
  initial_data initial = initial_data::none;
  std::string name;
  std::uint32_t element_bytes = 1;
};

}  // namespace stretto::graph
