// buffers_state.hpp - what the floor keeps for one runtime.
//
// Threads     whoever holds it: `holding`.
#pragma once

#include <stretto/buffer.hpp>

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/context.hpp"
#include "buffers/dry_run.hpp"
#include "buffers/instruction_executor.hpp"
#include "buffers/pipeline_mode.hpp"
#include "buffers/launch_cache.hpp"
#include "buffers/pending_launches.hpp"
#include "buffers/mapper_learner.hpp"
#include "buffers/graph_recorder.hpp"
#include "buffers/spmd_guard.hpp"
#include "buffers/unwritten_warnings.hpp"
#include "buffers/weight_measurement.hpp"
#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/task_graph.hpp"
#include "sched/worker.hpp"

namespace stretto::buffers {

// Horizons that may be under way: what is ahead of execution is bounded by their step.
inline constexpr std::size_t most_horizons_ahead = 16;

struct buffers_state {
  buffers_state(base::runtime_context& r, graph::node_number self, graph::node_number nodes, graph::node_shape shape, instruction_executor::execution_places places,
                measured_levels measures)
      : runtime(&r), measures(measures), commands(self, nodes), instructions(std::move(shape)), executor(std::move(places), nodes),
        weights(measures, instructions.shape().devices.size(), nodes, most_horizons_ahead + 2) {}

  base::runtime_context* runtime;  // null once that has ended
  bool check = false;
  const measured_levels measures;  // where no weights are set by hand
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // to whoever runs the program
  unwritten_warnings warnings;
  std::unique_ptr<mapper_learner> learns;  // null: nothing is
  pipeline_mode pipeline = pipeline_mode::off;
  std::unique_ptr<pending_launches> pending;  // null where nothing is ever handed over
  std::atomic<std::uint64_t> check_epoch{1};   // launches that were found right before it changed may not be any more
  void invalidate_checks() noexcept { check_epoch.fetch_add(1, std::memory_order_relaxed); }

  // Guards what follows; taken by `holding` alone.
  std::mutex mutex;
  std::atomic<std::thread::id> holder;
  graph::task_graph tasks;
  graph::command_graph commands;
  graph::instruction_graph instructions;
  instruction_executor executor;
  struct time_of_horizons {
    bool is_asked = false;  // for benchmarks
    std::uint64_t count = 0, nanoseconds = 0;  // generated, with what the one before it makes old applied
  };
  time_of_horizons horizons;
  std::unique_ptr<graph_recorder> record;  // null: nobody asked for a graph
  std::unique_ptr<dry_run> dry;       // null: what is found is done
  std::unique_ptr<spmd_guard> guard;  // null: there are no others
  std::uint32_t side_effects = 0;          // that were made
  std::uint64_t submitted = 0;             // tasks below this number, each as a whole
  event back_pressure;                     // what has to have happened before the next task
  std::exception_ptr pipeline_failure;              // what a launch was refused with that had been handed over; the program has ended then
  launch_cache launches;                 // and guarded by `saying`, where there is that
  weight_measurement weights;
  // Of nodes that decide about weights together; of who submits.
  buffer<double> load_exchange;
  std::shared_ptr<std::vector<graph::measured_load>> node_loads;
  event loads_ready;
  // Of the task that is submitted, kept for their memory.
  launch_key key;
  std::vector<graph::command> new_commands;
  std::vector<graph::instruction> new_instructions;
  /// Mappings of functions that are called again, so that what they gave is remembered.
  struct custom_mapping {
    std::shared_ptr<const detail::range_mapper::function> of;
    box elements;
    graph::mapping is;
  };
  std::vector<custom_mapping> custom_mappings;
  std::shared_ptr<void> checkpoints;  // what the floor of that name keeps beside
  event files;  // of this node: what has been done with files so far

  /// All that buffers have in this memory of a device leaves it. The event happens when it has left; none: there is
  /// nothing. The caller does not hold the state.
  static std::optional<event> clear(buffers_state& s, place memory, base::thread_context& context);

  /// Begins instructions, which belong to the commands; or only counts them, and everything has happened.
  task_outcome carry_out(std::span<const graph::command> of, std::span<const graph::instruction> all, const task_work& work,
                         base::thread_context& context);

  // Buffers that nothing names any more, to be removed by whoever holds the state. Guarded by a mutex of their own, since what is let go
  // while the state is held may be a function of the program's that owns the last handle of a buffer.
  std::atomic<bool> has_released = false;
  std::mutex released_mutex;
  struct released_buffer {
    graph::buffer_id is;
    std::uint64_t behind = 0;  // launches that were handed over, which may name it
  };
  std::vector<released_buffer> released;
};

/// Who is cut by the weights of all devices shows how fast each is.
inline bool shows_speed(const graph::task& t) noexcept {
  return t.kind == graph::task_kind::kernel && t.by == graph::processors::devices && !t.devices;
}

/// Holds a runtime's buffers. Removes those that have gone before it lets go. What was handed over may not be in the graphs: a call of the
/// program is `asked` (launch_pipeline.hpp).
class buffers_lock {
 public:
  explicit buffers_lock(buffers_state& s);
  ~buffers_lock();
  buffers_lock(const buffers_lock&) = delete;
  buffers_lock& operator=(const buffers_lock&) = delete;

 private:
  buffers_state& s_;
  sched::worker* const here_;  // which makes no room by running something else meanwhile
};

struct buffer_record {
  ~buffer_record();

  std::shared_ptr<buffers_state> state;
  graph::buffer_id id;
  box elements;
  element_type type;
  std::string name;
};

struct side_effect_record {
  std::shared_ptr<buffers_state> state;
  std::uint32_t number = 0;
  std::string name;
};

/// "buffer B3 "image"".
std::string describe(const buffer_record& b);

const std::shared_ptr<buffers_state>& state_of(const base::runtime_context& runtime) noexcept;

}  // namespace stretto::buffers
