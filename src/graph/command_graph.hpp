// command_graph.hpp - what one node of a job has to do, from the tasks of the program: which chunk it computes, what it sends to others
// and awaits from them, and in which order. Every node finds its own commands alone.
//
// Threads     one owner.
// Cost        add: O(pieces of buffers met); with the mappings of mapping.hpp it does not depend on how many nodes there are, but where
//             the elements that are sent do. A mapping of the program's own: a call for each node, once for each shape of launch.
// Memory      bounded, if tasks have horizons.
// Invariants  (1) for each task, buffer and pair of nodes, what one's push says to the other is what the other awaits of it. (2) commands
//             of a node that use the same element, one of them writing it, are ordered through dependencies.
// Source      Salzmann, Thoman and others: Celerity's distributed command graph; here without looking at the chunks of all nodes.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "geometry/region_map.hpp"
#include "graph/access_fronts.hpp"
#include "graph/buffer_table.hpp"
#include "graph/effect_order.hpp"
#include "graph/command.hpp"
#include "graph/launch_shapes.hpp"
#include "graph/plan_cache.hpp"
#include "graph/memoized_state.hpp"
#include "graph/replication.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

class command_graph {
 public:
  command_graph(node_number self, node_number nodes) : self_(self), nodes_(nodes) {}

  /// In the order in which task_graph got them.
  buffer_id add(const buffer& b);
  void remove(buffer_id b) { buffers_.remove(b); }

  /// Appends the commands of the task, in an order in which they could be done one after another.
  ///
  ///   throws   error B04 if two chunks write the same elements, B05 if a chunk uses elements outside of a buffer, B06 if a buffer that
  ///            the task reduces into is used otherwise, too; nothing being changed
  void add(task_id id, const task& t, std::vector<command>& out);

  /// Throws what add would, and changes nothing.
  void check(const task& t) { check(t, plan_of(t)); }
  /// This node's chunk of the task; empty if it has none.
  box own_chunk(const task& t) { return plan_of(t).own; }
  /// What the tasks that were added since the last call read without its having been written. Cost, in add: O(pieces of a buffer that are
  /// not written yet), nothing where all of it is.
  std::vector<unwritten_read> take_unwritten_reads() { return std::exchange(unwritten_reads_, {}); }

  /// From now on kernels are cut so that node n gets weights[n] shares, the same on every node at the same point of the program: one for
  /// each node, or none. Cost: what was derived from repeated tasks is derived again.
  void set_weights(const chunk_weights& weights);
  const chunk_weights& weights() const noexcept { return weights_; }
  /// What of `where` the tasks added so far have written, or was there at the beginning. The same on all nodes.
  region written(buffer_id b, const box& where);

  /// Mappings of the program's own are asked again when they are used again.
  void forget_shapes();

  /// buffer B3 "image".
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

  /// What follows from a task alone.
  struct plan {
    chunk_grid grid;
    box own;  // this node's chunk
    struct uses {
      used_boxes own, all;  // what its chunk uses, and what all use together
      bool knows_all = false;
    };
    std::vector<uses> by_access;
    bool is_checked = false;  // has been checked
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
  struct {  // of the last task
    box range;
    node_number most = 0;
    cut how = cut::along_rows;
    extent grain;
    std::optional<chunk_grid> made;
  } grid_;
  std::vector<unwritten_read> unwritten_reads_;
  // Of the task that is added, kept for their memory.
  std::vector<box> pieces_;
  std::uint64_t execute_ = 0;
};

}  // namespace stretto::graph
