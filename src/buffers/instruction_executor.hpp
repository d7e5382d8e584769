// instruction_executor.hpp - starts instructions as operations on instances, each behind the events of its
// predecessors.
//
// Threads     one owner, on a thread of the runtime.
// Cost        that of the operation.
// Memory      an event for each instruction since the horizon before the last.
// Invariants  (1) nothing here waits. (2) an instruction that fails, or cannot be started, poisons the readers of its
//             results, and epochs; all other successors only wait for its end.
#pragma once

#include <stretto/buffer.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/context.hpp"
#include "buffers/checked_views.hpp"
#include "buffers/mapper_learner.hpp"
#include "buffers/measured_window.hpp"
#include "buffers/unsettled_writes.hpp"
#include "data/memory_space.hpp"
#include "device/allowed_elements.hpp"
#include "graph/instruction.hpp"
#include "graph/task.hpp"

namespace stretto::buffers {

/// Size of the area at the end of a device's memory for empty instances, one grain for each.
inline constexpr std::uint64_t grains_for_empty_instances = 32;

/// The type of the elements of a buffer.
struct element_type {
  std::uint8_t dimensions = 1;
  std::uint32_t bytes = 1, alignment = 1;
};

/// "buffer B3 "image"".
std::string describe(graph::buffer_id b, const std::string& name);

/// A parameter of a launch: number `array` among the accesses and then the reductions of its task; or a value; or a
/// size of local memory.
struct launch_argument {
  int array = -1;
  graph::buffer_id of = {};
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};

/// The work of a task on this node that its instructions do not describe. Valid during the call.
struct task_work {
  const kernel_code* code = nullptr;  // a kernel,
  // or a host function; neither: the program reads elements, and `ends` triggers when it has finished
  const detail::host_function* host = nullptr;
  std::span<const launch_argument> arguments;
  std::span<const detail::host_use_item> given = {};     // for a host function: its arguments
  const graph::task* task = nullptr;                     // the task, whose mappings say which elements may be used
  std::span<const detail::reduction_kind* const> folds;  // operators of the reductions
  mapper_learner* learns = nullptr;                      // in learn mode: records the use of accesses
  std::span<const mapper_learner::argument> learned;
  kernel_range range{box()};
  detail::task_request request;         // without preconditions
  measured_window* measured = nullptr;  // for a kernel: the window that measures its parts; or null
  event first;                          // the preconditions
  event ends;
};

/// The result of a task on this node.
struct task_outcome {
  event done;                     // end of its chunk
  event ready;                    // when elements can be read by the program
  detail::instance_handle first;  // allocation of its first access, if any
};

class instruction_executor {
 public:
  struct execution_place {
    place processor, memory;
  };
  using execution_places = std::vector<execution_place>;  // devices, then the host, as node_shape numbers processors

  instruction_executor(execution_places places, std::uint32_t nodes) : places_(std::move(places)), nodes_(nodes) {}

  void add(graph::buffer_id b, const element_type& type, std::string name);
  void remove(graph::buffer_id b);

  /// `check`: kernels and host tasks are checked against what they may use.
  task_outcome run(std::span<const graph::instruction> all, const task_work& work, bool check,
                   base::thread_context& context);
  /// Throws the error of a failed allocation.
  detail::instance_handle instance_of(graph::allocation_id a) const;

  /// The number of the memory in the graph; none: no device of this node has it.
  std::optional<graph::memory_number> memory_number_of(place memory) const;

  /// The number of stored events, allocations and arrivals: a function of the program, as in the graphs.
  std::size_t remembered() const noexcept { return ends_.size() + allocations_.size() + arrivals_.size(); }
  /// The number of stored writes, which depends on how far the processors are.
  std::size_t unsettled() const noexcept { return unsettled_.size(); }

  /// The end of the last instruction, or of the last `instructions`.
  event last() const { return ends_.back().end; }
  event last(std::size_t instructions, const std::source_location& where) const;

  /// The number of views that the program keeps.
  std::size_t views() const noexcept { return views_.size(); }

  /// The event for back pressure: a horizon that must be reached if more than `most` are outstanding; else a triggered
  /// event.
  event back_pressure(std::size_t most);

 private:
  struct buffer_type {
    element_type is;
    std::string name;
    struct empty_instance {
      detail::instance_handle is;
      std::uint64_t number = 0;  // slot in its memory: the lowest that was free
    };
    std::unordered_map<graph::processor_number, empty_instance> empty_instances = {};
  };
  /// Fills must_succeed_ with the writers of what the instruction reads, and must_end_ with the ends of its other
  /// predecessors.
  void find_dependencies(const graph::instruction& i, const task_work& work);
  /// Calls f(allocation, part, reads, writes) for each use of the instruction.
  template <class F>
  void each_use(const graph::instruction& i, const task_work& work, F f) const;
  /// Passes a horizon or an epoch. An epoch fails with every failure since the epoch before.
  void pass(const graph::instruction& i, const task_work& work);
  void keep_end(const graph::instruction& i, const task_work& work, event end);
  event start_instruction(const graph::instruction& i, const task_work& work, bool check, task_outcome& out,
                          base::thread_context& context);
  event start(const graph::allocate& a, const task_work& work, base::thread_context& context);
  event start(const graph::release& r, const task_work& work);
  event start(const graph::copy& c, const task_work& work);
  event start(const graph::fill_identity& f, const task_work& work);
  event start(const graph::fold& f, const task_work& work);
  event start(const graph::compute& c, const task_work& work, bool check, task_outcome& out);
  /// The elements of an array that a checked kernel may use: a box, or some of it.
  struct checked_region {
    box all;
    allowed_elements some = {};
  };
  /// `use`: number of the use in the task.
  const checked_region& region_to_check(const graph::compute& c, std::size_t use, const graph::task& t);
  event launch_kernel(const graph::compute& c, const task_work& work, bool check);
  event spawn_on_host(const graph::compute& c, const task_work& work, bool check);
  /// The permitted uses of each argument.
  std::vector<checked_view::argument> arguments_to_check(const graph::compute& c, const task_work& work) const;
  event start(const graph::send& s, const task_work& work, base::thread_context& context);
  event start(const graph::receive& r, graph::instruction_id id, const task_work& work, base::thread_context& context);
  event start(const graph::arrive& a);
  /// Makes writers wait for views that the program keeps. The graphs do not: for them a read ends when its elements are
  /// available, so that horizons do not wait for a kept view.
  void wait_for_views(const graph::instruction& i, const task_work& work);
  void wait_for_views(graph::allocation_id in, std::span<const box> parts);
  struct completion {
    event end;
    event with_failures;  // for a horizon: fails with all before it; else the same as `end`
    bool is_epoch = false;
  };
  const completion& end_of(std::uint64_t number) const { return ends_[number - first_]; }
  place memory_of(graph::memory_number m) const;
  /// Creates an instance. At a planned offset, it waits until objects have left these addresses.
  detail::instance_handle make(graph::buffer_id b, place memory, const box& elements, const data::placement_hint& at,
                               const std::source_location& where, base::thread_context& context) const;
  /// The address of an empty instance: in the area at the end of the memory that the graph does not use.
  data::placement_hint place_of_empty_instance(graph::processor_number on, std::uint64_t number,
                                               base::thread_context& context) const;
  /// The empty instance for a chunk that uses no element of a buffer.
  detail::instance_handle empty_instance_of(graph::buffer_id b, graph::processor_number on,
                                            const std::source_location& where);

  const execution_places places_;
  const std::uint32_t nodes_;
  std::unordered_map<std::uint32_t, buffer_type> types_;
  std::unordered_map<std::uint64_t, detail::instance_handle> allocations_;
  std::deque<completion> ends_{completion()};  // by instruction number, from first_
  std::uint64_t first_ = 0;
  std::uint64_t horizon_ = 0;  // the last horizon passed
  struct arrival {
    graph::allocation_id to;
    std::vector<box> parts;
    std::vector<event> ends;
  };
  std::unordered_map<std::uint64_t, arrival> arrivals_;  // for receives of several parts
  std::unordered_map<std::uint64_t, std::exception_ptr> failed_allocations_;
  unsettled_writes unsettled_;
  // by key of effect_order: the last task that affected it, until it has succeeded
  std::unordered_map<std::uint64_t, event> effects_;
  struct passed_horizon {
    event reached;
    std::vector<std::unique_ptr<const checked_region>> parts;  // used by launches before it
  };
  std::deque<passed_horizon> passed_horizons_;
  std::vector<std::unique_ptr<const checked_region>> checked_regions_;
  // for the instruction being started: predecessors that must succeed, and those that must only end
  std::vector<event> must_succeed_, must_end_;
  struct kept_view {
    graph::allocation_id of;
    box part;
    event ends;
  };
  std::vector<kept_view> views_;
};

}  // namespace stretto::buffers
