// command_graph.hpp - derives the commands of one node from the tasks of the program: its chunk, what it sends and
// awaits, and the order. Every node derives its own commands alone.
//
// Threads     one owner.
// Cost        add: O(pieces of buffers met). With the mappings of mapping.hpp it does not depend on the number of
//             nodes, unless the transferred elements do. A custom mapping: a call for each node, once for each shape of
//             launch.
// Memory      bounded, if tasks have horizons.
// Invariants  (1) for each task, buffer and pair of nodes, the pushes of one equal what the other awaits from it. (2)
//             commands of a node that use the same element, one of them writing it, are ordered through dependencies.
// Source      Salzmann, Thoman and others: Celerity's distributed command graph; here without visiting the chunks of
//             all nodes.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/region_map.hpp"
#include "graph/access_fronts.hpp"
#include "graph/buffer_table.hpp"
#include "graph/command.hpp"
#include "graph/effect_order.hpp"
#include "graph/launch_shapes.hpp"
#include "graph/memoized_state.hpp"
#include "graph/plan_cache.hpp"
#include "graph/replication.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

class command_graph {
 public:
  command_graph(node_number self, node_number nodes) : self_(self), nodes_(nodes) {}

  /// Buffers must be added in the same order as to task_graph.
  buffer_id add(const buffer& b);
  void remove(buffer_id b) { buffers_.remove(b); }

  /// Appends the commands of the task in a valid sequential order.
  ///
  ///   throws   error B04 if two chunks write the same elements, B05 if a chunk uses elements outside of a buffer, B06
  ///            if the task uses a buffer both in a reduction and otherwise; the graph is then unchanged
  void add(task_id id, const task& t, std::vector<command>& out);

  /// Throws the errors of add; changes nothing.
  void check(const task& t) { check(t, plan_of(t)); }
  /// This node's chunk of the task; empty if it has none.
  box own_chunk(const task& t) { return plan_of(t).own; }
  /// Returns reads of unwritten elements by the tasks added since the last call. Cost, in add: O(unwritten pieces of a
  /// buffer), nothing once all are written.
  std::vector<unwritten_read> take_unwritten_reads() { return std::exchange(unwritten_reads_, {}); }

  /// Cuts kernels so that node n gets weights[n] shares from now on: one weight for each node, or none. Every node must
  /// call it at the same point of the program. Cost: repeated tasks are planned again.
  void set_weights(const chunk_weights& weights);
  const chunk_weights& weights() const noexcept { return weights_; }
  /// The part of `where` that tasks so far have written, or that was initialised. The same on all nodes.
  region written(buffer_id b, const box& where);

  /// Forgets the results of custom mappings: they are evaluated again at their next use.
  void forget_shapes();

  /// "buffer B3 "image"".
  std::string named(buffer_id b);
  node_number self() const noexcept { return self_; }
  node_number nodes() const noexcept { return nodes_; }
  std::size_t remembered() const noexcept { return commands_.remembered(); }

 private:
  struct buffer_state {
    buffer is;
    access_fronts fronts;
    memoized_state<replication, passed> copies;
    region_map<std::monostate> unwritten;
  };

  /// The consequences of a task alone.
  struct plan {
    chunk_grid grid;
    box own;  // this node's chunk
    struct uses {
      used_boxes own, all;  // elements used by its chunk, and by all chunks together
      bool knows_all = false;
    };
    std::vector<uses> by_access;
    bool is_checked = false;  // the checks have passed
  };

  const chunk_grid& grid_of(const task& t);
  plan& plan_of(const task& t);
  void check(const task& t, plan& p);
  void check_alone(const task& t, std::size_t reduction);
  void find_unwritten_reads(const task& t, plan& p);
  const used_boxes& used_by_all(const task& t, std::size_t access, plan& p);
  void send(task_id id, const task& t, plan& p, std::vector<command>& out);
  void await(task_id id, const task& t, const plan& p, std::vector<command>& out);
  void compute(task_id id, const task& t, const plan& p, std::vector<command>& out);
  void fold(task_id id, const reduction& r, node_number contributors, bool has_chunk, std::vector<command>& out);
  void mark_written(const task& t, plan& p);
  void forget_plans();
  buffer_state& at(buffer_id b) { return buffers_.at(b); }

  const node_number self_, nodes_;
  sequence commands_;
  effect_order effects_;
  buffer_table<buffer_state> buffers_;
  launch_shapes shapes_;
  plan_cache<plan> plans_;
  chunk_weights weights_;
  struct {  // the grid of the last task
    box range;
    node_number most = 0;
    cut how = cut::along_rows;
    extent grain;
    std::optional<chunk_grid> made;
  } grid_;
  std::vector<unwritten_read> unwritten_reads_;
  // Scratch memory for the task being added.
  std::vector<box> pieces_;
  std::uint64_t execute_ = 0;
};

}  // namespace stretto::graph
