// instruction_executor.hpp - instructions as operations on instances, each behind the events of those that it follows.
//
// Threads     one owner, on a thread of the runtime.
// Cost        that of the operation.
// Memory      an event for each instruction since the horizon before the last.
// Invariants  (1) nothing waits here. (2) an instruction that fails, or cannot be begun, poisons those that read what it had to write, and
//             epochs; the others wait for its end alone.
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

/// Of the end of a device's memory, for empty instances, so many of a buffer each.
inline constexpr std::uint64_t grains_for_empty_instances = 32;

/// What the elements of a buffer are.
struct element_type {
  std::uint8_t dimensions = 1;
  std::uint32_t bytes = 1, alignment = 1;
};

/// "buffer B3 "image"".
std::string describe(graph::buffer_id b, const std::string& name);

/// A parameter of a launch: number `array` of what its task uses, accesses first and then reductions, or a value, or a size.
struct launch_argument {
  int array = -1;
  graph::buffer_id of = {};
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};

/// What a task does on this node, beside what its instructions say. For the call.
struct task_work {
  const kernel_code* code = nullptr;         // a kernel;
  const detail::host_function* host = nullptr;  // or a function; neither: the host looks at elements, and `ends` says when it has
  std::span<const launch_argument> arguments;
  std::span<const detail::host_use_item> given = {};  // of a function: what the arguments are
  const graph::task* task = nullptr;            // what says which elements it may use
  std::span<const detail::reduction_kind* const> folds;  // of reductions
  mapper_learner* learns = nullptr;                   // of what accesses were given
  std::span<const mapper_learner::argument> learned;
  kernel_range range{box()};
  detail::task_request request;  // without preconditions
  measured_window* measured = nullptr;  // of a kernel: what its parts take goes there
  event first;                   // which are this
  event ends;
};

/// What has come of a task on this node.
struct task_outcome {
  event done;     // of its chunk
  event ready;    // of elements for the host: they may be looked at
  detail::instance_handle first;  // the allocation of its first access, if it has one
};

class instruction_executor {
 public:
  struct execution_place {
    place processor, memory;
  };
  using execution_places = std::vector<execution_place>;  // devices, then the host; as node_shape counts processors

  instruction_executor(execution_places places, std::uint32_t nodes) : places_(std::move(places)), nodes_(nodes) {}

  void add(graph::buffer_id b, const element_type& type, std::string name);
  void remove(graph::buffer_id b);

  /// `check`: kernels and host tasks are told which elements they may use.
  task_outcome run(std::span<const graph::instruction> all, const task_work& work, bool check, base::thread_context& context);
  /// Throws what the allocation has failed with.
  detail::instance_handle instance_of(graph::allocation_id a) const;

  /// As the graph counts memories; none: no device of this node has it.
  std::optional<graph::memory_number> memory_number_of(place memory) const;

  /// Events, allocations and arrivals that are kept.
  std::size_t remembered() const noexcept { return ends_.size() + allocations_.size() + arrivals_.size() + unsettled_.size(); }

  /// Of the last instruction, or of so many.
  event last() const { return ends_.back().end; }
  event last(std::size_t instructions, const std::source_location& where) const;

  /// Views that the program keeps.
  std::size_t views() const noexcept { return views_.size(); }

  /// A horizon that has been passed but not reached, if more than `most` of them are; who submits waits for it.
  event back_pressure(std::size_t most);

 private:
  struct buffer_type {
    element_type is;
    std::string name;
    struct empty_instance {
      detail::instance_handle is;
      std::uint64_t number = 0;  // among those of its memory: the lowest that was free
    };
    std::unordered_map<graph::processor_number, empty_instance> empty_instances = {};
  };
  /// Into behind_: those of whom it needs what they wrote, and the end of the others.
  void find_dependencies(const graph::instruction& i, const task_work& work);
  /// Calls f(allocation, part, reads, writes) for what the instruction uses.
  template <class F>
  void each_use(const graph::instruction& i, const task_work& work, F f) const;
  /// A horizon, or an epoch, which fails with all that has failed since the one before.
  void pass(const graph::instruction& i, const task_work& work);
  void keep_end(const graph::instruction& i, const task_work& work, event end);
  event start_instruction(const graph::instruction& i, const task_work& work, bool check, task_outcome& out, base::thread_context& context);
  event start(const graph::allocate& a, const task_work& work, base::thread_context& context);
  event start(const graph::release& r, const task_work& work);
  event start(const graph::copy& c, const task_work& work);
  event start(const graph::fill_identity& f, const task_work& work);
  event start(const graph::fold& f, const task_work& work);
  event start(const graph::compute& c, const task_work& work, bool check, task_outcome& out);
  /// What a kernel that is checked may use of an array: a box, or some of it.
  struct checked_region {
    box all;
    allowed_elements some = {};
  };
  /// `use`: its number among those of the task.
  const checked_region& region_to_check(const graph::compute& c, std::size_t use, const graph::task& t);
  event launch_kernel(const graph::compute& c, const task_work& work, bool check);
  event spawn_on_host(const graph::compute& c, const task_work& work, bool check);
  /// What its views may be used for, argument by argument.
  std::vector<checked_view::argument> arguments_to_check(const graph::compute& c, const task_work& work) const;
  event start(const graph::send& s, const task_work& work, base::thread_context& context);
  event start(const graph::receive& r, graph::instruction_id id, const task_work& work, base::thread_context& context);
  event start(const graph::arrive& a);
  /// What writes there waits for views of it that the program keeps, in place of the graphs: for them a read has
  /// ended when its elements are
  /// there, so that horizons do not wait for a view that is kept.
  void wait_for_views(const graph::instruction& i, const task_work& work);
  void wait_for_views(graph::allocation_id in, std::span<const box> parts);
  struct completion {
    event end;
    event with_failures;  // of all before, where it is a horizon; else the same
    bool is_epoch = false;
  };
  const completion& end_of(std::uint64_t number) const { return ends_[number - first_]; }
  place memory_of(graph::memory_number m) const;
  /// Where an offset is planned: there, once what objects have at that address has left.
  detail::instance_handle make(graph::buffer_id b, place memory, const box& elements, const data::wish& at,
                               const std::source_location& where, base::thread_context& context) const;
  /// At the end of the memory, of which the graph leaves a little.
  data::wish place_of_empty_instance(graph::processor_number on, std::uint64_t number, base::thread_context& context) const;
  /// For a chunk that uses nothing of a buffer.
  detail::instance_handle empty_instance_of(graph::buffer_id b, graph::processor_number on, const std::source_location& where);

  const execution_places places_;
  const std::uint32_t nodes_;
  std::unordered_map<std::uint32_t, buffer_type> types_;
  std::unordered_map<std::uint64_t, detail::instance_handle> allocations_;
  std::deque<completion> ends_{completion()};  // by number, from first_
  std::uint64_t first_ = 0;
  std::uint64_t horizon_ = 0;        // the last that was passed
  struct arrival {
    graph::allocation_id to;
    std::vector<box> parts;
    std::vector<event> ends;
  };
  std::unordered_map<std::uint64_t, arrival> arrivals_;  // of receives in parts
  std::unordered_map<std::uint64_t, std::exception_ptr> failed_allocations_;
  unsettled_writes unsettled_;
  std::unordered_map<std::uint64_t, event> effects_;  // by effect_order's keys: the last that affected it, until it has succeeded
  struct passed_horizon {
    event reached;
    std::vector<std::unique_ptr<const checked_region>> parts;  // which launches before it are told of
  };
  std::deque<passed_horizon> passed_horizons_;
  std::vector<std::unique_ptr<const checked_region>> checked_regions_;
  std::vector<event> must_succeed_, must_end_;  // of the instruction that begins: who must succeed, and who must have ended
  struct kept_view {
    graph::allocation_id of;
    box part;
    event ends;
  };
  std::vector<kept_view> views_;
};

}  // namespace stretto::buffers
