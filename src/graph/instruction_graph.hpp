// instruction_graph.hpp - derives the instructions of one node from its commands: the device of each part, the place of
// the elements, copies between memories, and the memories of messages.
//
// Threads     one owner.
// Cost        add: O(pieces of buffers met), on each participating processor. See docs/performance.md.
// Memory      bounded, if tasks have horizons.
// Invariants  (1) instructions that use the same element of the same allocation, one of them writing it, are ordered
//             through dependencies. (2) the elements that a kernel reads are valid in its memory when it begins, if
//             they were ever written. (3) the same commands give the same instructions. (4) live allocations of a
//             bounded memory have disjoint addresses within it.
// Source      Knorr, Salzmann, Thoman, Fahringer, "Instruction graphs": Celerity's third graph, with these kinds of
//             instructions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/buffer_table.hpp"
#include "graph/command.hpp"
#include "graph/effect_order.hpp"
#include "graph/instruction.hpp"
#include "graph/memory_map.hpp"
#include "graph/placement.hpp"
#include "graph/plan_cache.hpp"
#include "graph/task.hpp"

namespace stretto::graph {

class instruction_graph {
 public:
  explicit instruction_graph(node_shape shape);

  /// Buffers must be added in the same order as to command_graph. A buffer with replicated initial data begins with one
  /// allocation of all elements in memory 0. The caller fills it before the instructions that follow the `allocate`.
  buffer_id add(const buffer& b, std::vector<instruction>& out);
  /// Releases all allocations of the buffer.
  void remove(buffer_id b, std::vector<instruction>& out);

  /// Between two tasks: evicts all allocations of a bounded memory for other users. Appends nothing if there are none.
  void clear(memory_number m, std::vector<instruction>& out);

  /// Announces a task and this node's chunk of it: earlier allocations are then made large enough for it.
  void expect(const task& t, const box& own);

  /// Appends the instructions for all commands of one task, in a valid sequential order. Requires check(t, own), if the
  /// node has a chunk of the task.
  void add(task_id id, const task& t, std::span<const command> commands, std::vector<instruction>& out);

  /// throws   error B04 if two processors of this node would write the same elements, B24 if a memory is too small for
  ///          the elements that one of them uses
  void check(const task& t, const box& own);

  /// Cuts kernels so that device d of this node gets weights[d] shares from now on: one weight for each device, or
  /// none. With one more weight, for the host, the host computes, too.
  void set_weights(const chunk_weights& weights);
  const chunk_weights& weights() const noexcept { return weights_; }
  /// The caller must call this when tasks of a known shape get other chunks than before.
  void forget_plans() { plans_.clear(); }

  std::size_t remembered() const noexcept { return instructions_.remembered(); }
  const node_shape& shape() const noexcept { return shape_; }

 private:
  struct buffer_state {
    std::string name;
    placement is;
    std::uint32_t element_bytes = 1;
  };
  /// The part of a task that one processor computes.
  struct part_of_task {
    processor_number by = 0;
    box chunk;
    std::vector<used_boxes> uses;  // by access
    std::vector<box> bounds;       // of each
  };
  /// The bytes of a memory that some parts need.
  struct need {
    memory_number where = 0;
    std::uint64_t bytes = 0;
    box chunk;                                            // the chunk of the first part
    std::vector<std::pair<buffer_id, std::uint64_t>> of;  // bytes
    bool are_dependent = false;  // the parts cannot run one after the other: some use elements that others write
  };
  /// The division of this node's chunk; it depends only on the shape of the task and on the chunk.
  struct plan {
    std::vector<part_of_task> parts;  // only the first part_count are valid; the others keep their memory
    std::size_t part_count = 0;
    std::vector<std::uint32_t> shared;  // accesses that read the same elements in several memories
    memory_set readers = 0;             // these memories
    bool is_checked = false;            // the checks have passed
    // the parts do not fit into memory together: they run one after the other and reuse its memory
    bool is_sequential = false;
    std::optional<need> unmet_need;  // the demand for which a memory is too small
    std::span<const part_of_task> all() const { return {parts.data(), part_count}; }
  };
  /// A range of the parts of a plan.
  struct part_range {
    std::size_t first = 0, last = 0;
  };
  struct needed_allocation {
    buffer_id of;
    box elements;
  };
  struct expected_allocation {
    buffer_id of;
    memory_number where;
    box elements;
  };
  /// A temporary allocation of all elements of a buffer for a reduction of one task.
  struct temporary {
    allocation_id is;
    std::uint64_t written = 0;  // the last instruction that wrote it
    dependencies read = {};     // the instructions that have read it since
    memory_number where = 0;
  };

  buffer_state& at(buffer_id b) { return buffers_.at(b); }
  const buffer_state& at(buffer_id b) const { return buffers_.at(b); }
  template <class F>
  void each_needed_allocation(std::span<const part_of_task> parts, F f) const {
    for (const part_of_task& part : parts)
      for (std::size_t i = 0; i < part.bounds.size(); ++i)
        if (!part.bounds[i].is_empty()) f(i, shape_.memory_of(part.by), part.bounds[i]);
  }
  std::uint64_t append(task_id of, dependencies&& follows, decltype(instruction::what) what,
                       std::vector<instruction>& out);
  void append_copy(task_id of, copy&& c, std::vector<instruction>& out);
  memory_number target_of(const task& t, const plan& p, const await_push& a) const;
  void add_send(task_id id, const task& t, const push& p, std::vector<instruction>& out);
  void add_receive(task_id id, const task& t, const plan& p, const await_push& a, std::vector<instruction>& out);
  void make_available(task_id id, const task& t, const part_of_task& p, std::vector<instruction>& out);
  void add_compute(task_id id, const task& t, const part_of_task& p, std::span<temporary> partial_values,
                   std::vector<instruction>& out);
  static transfer_id transfer_of(task_id id, const task& t, buffer_id b);

  // Defined in instruction_plans.cpp.
  static box bounds_of(std::span<const box> all);
  plan& plan_of(const task& t, const box& own);
  void divide(const task& t, const box& own, std::uint32_t pieces, plan& made) const;
  void make_fit(const task& t, const box& own, plan& made) const;
  std::vector<needed_allocation> allocations_needed(const task& t, std::span<const part_of_task> parts,
                                                    memory_number m) const;
  need need_of(const task& t, std::span<const part_of_task> parts, memory_number m) const;
  void refuse [[noreturn]] (const task& t, const need& unmet_need) const;

  // Defined in host_gather.cpp.
  void find_shared(const task& t, plan& made) const;
  void gather(task_id id, const task& t, const plan& p, std::vector<instruction>& out);

  // Defined in instruction_allocations.cpp.
  bool is_bounded(memory_number m) const noexcept { return m < maps_.size() && maps_[m].capacity() != 0; }
  std::uint64_t bytes_of(buffer_id b, const box& elements) const { return elements.volume() * at(b).element_bytes; }
  box with_expected(buffer_id b, memory_number m, const box& where) const;
  placement::allocation& require_allocation(task_id of, buffer_id b, memory_number m, const box& where,
                                            std::vector<instruction>& out);
  placement::allocation& put(task_id of, buffer_id b, memory_number m, const box& all,
                             std::optional<std::uint64_t> offset, std::vector<instruction>& out);
  std::uint64_t release_at(task_id of, memory_number m, allocation_id a, dependencies&& follows,
                           std::vector<instruction>& out);
  std::vector<allocation_id> least_recently_used(memory_number m, buffer_id but, const box& where) const;
  void evict(task_id of, buffer_id b, allocation_id a, std::vector<instruction>& out);
  void evict_all(task_id of, std::span<const allocation_id> all, std::vector<instruction>& out);
  // How to make space in a bounded memory. through_host: first evicts the buffer's own allocations that the new one
  // includes. leave: may evict other allocations. exact: without growth, and reusing addresses in order.
  enum class way : std::uint8_t { direct, through_host };
  enum class others : std::uint8_t { stay, leave };
  enum class sizes : std::uint8_t { with_more, exact };
  std::optional<memory_map::hole> find_hole(buffer_id b, memory_number m, const box& all, others o, sizes s,
                                            std::span<const allocation_id> must_leave) const;
  placement::allocation* try_allocate(task_id of, buffer_id b, memory_number m, const box& all, way w, others o,
                                      sizes s, std::vector<instruction>& out);
  placement::allocation* require_bounded_allocation(task_id of, buffer_id b, memory_number m, const box& where, sizes s,
                                                    std::vector<instruction>& out);
  bool allocate_bounded_parts(task_id id, const task& t, const plan& p, part_range which, memory_number m, sizes s,
                              std::vector<instruction>& out);
  void allocate_parts(task_id id, const task& t, const plan& p, part_range which, std::vector<instruction>& out);

  // Defined in instruction_reductions.cpp.
  std::optional<temporary> try_temporary(task_id id, buffer_id b, memory_number m, sizes s,
                                         std::vector<instruction>& out);
  temporary make_temporary(task_id id, buffer_id b, memory_number m, std::vector<instruction>& out);
  void set_identity(task_id id, const task& t, std::uint32_t reduction, temporary& made, std::vector<instruction>& out);
  temporary make_identity(task_id id, const task& t, std::uint32_t reduction, memory_number m,
                          std::vector<instruction>& out);
  void discard(task_id id, temporary&& t, std::vector<instruction>& out);
  void fold_into(task_id id, const task& t, std::uint32_t reduction, temporary&& from, temporary& to,
                 std::vector<instruction>& out);
  std::span<temporary> partial_values_of(const task& t, std::size_t part) {
    return std::span(partial_values_).subspan(part * t.reductions.size(), t.reductions.size());
  }
  void make_partial_values(task_id id, const task& t, const plan& p, part_range which, std::vector<instruction>& out);
  void take_to_host(task_id id, buffer_id b, temporary& value, std::vector<instruction>& out);
  temporary current_content(task_id id, const task& t, std::uint32_t reduction, std::vector<instruction>& out);
  temporary folded_here(task_id id, const task& t, const plan& p, std::uint32_t reduction, const reduce& r,
                        std::vector<instruction>& out);
  void add_reduce(task_id id, const task& t, const plan& p, const reduce& r, std::vector<instruction>& out);

  const node_shape shape_;
  sequence instructions_;
  effect_order effects_;
  std::vector<memory_map> maps_;  // by memory; capacity 0: unbounded
  std::uint64_t keeps_ = 0;       // number of the present round of allocations, which does not evict its own
  std::uint64_t last_allocation_ = 0;
  buffer_table<buffer_state> buffers_;
  std::vector<expected_allocation> expected_;
  plan_cache<plan> plans_;
  chunk_weights weights_;
  std::vector<temporary> partial_values_;  // of the task being added, by part, then by reduction
};

}  // namespace stretto::graph
