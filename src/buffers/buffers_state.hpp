// buffers_state.hpp - the state of the buffers floor for one runtime.
//
// Threads     the holder of a `buffers_lock`.
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
#include "buffers/graph_recorder.hpp"
#include "buffers/instruction_executor.hpp"
#include "buffers/launch_cache.hpp"
#include "buffers/mapper_learner.hpp"
#include "buffers/pending_launches.hpp"
#include "buffers/pipeline_mode.hpp"
#include "buffers/unwritten_warnings.hpp"
#include "buffers/weight_measurement.hpp"
#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/task_graph.hpp"
#include "sched/worker.hpp"

namespace stretto::buffers {

class spmd_guard;

// Back pressure: the number of horizons by which submission may be ahead of execution.
inline constexpr std::size_t most_horizons_ahead = 16;

struct buffers_state {
  buffers_state(base::runtime_context& r, graph::node_number self, graph::node_number nodes, graph::node_shape shape,
                instruction_executor::execution_places places, measured_levels measures)
      : runtime(&r),
        measures(measures),
        commands(self, nodes),
        instructions(std::move(shape)),
        executor(std::move(places), nodes),
        weights(measures, instructions.shape().devices.size(), nodes, most_horizons_ahead + 2) {}

  base::runtime_context* runtime;  // null once the runtime has ended
  bool check = false;
  const measured_levels measures;  // the levels measured, unless weights are set by hand
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // prints a warning
  unwritten_warnings warnings;
  std::unique_ptr<mapper_learner> learns;  // null: not in learn mode
  pipeline_mode pipeline = pipeline_mode::off;
  std::unique_ptr<pending_launches> pending;  // null without a pipeline
  // Validity epoch: launches checked in an older epoch must be checked again
  std::atomic<std::uint64_t> check_epoch{1};
  void invalidate_checks() noexcept { check_epoch.fetch_add(1, std::memory_order_relaxed); }

  // Guards the members below; locked by `buffers_lock` only.
  std::mutex mutex;
  std::atomic<std::thread::id> holder;
  graph::task_graph tasks;
  graph::command_graph commands;
  graph::instruction_graph instructions;
  instruction_executor executor;
  struct time_of_horizons {
    bool is_measured = false;  // set by benchmarks
    // Horizons generated, and the time, including the application of the horizon before
    std::uint64_t count = 0, nanoseconds = 0;
  };
  time_of_horizons horizons;
  std::unique_ptr<graph_recorder> record;  // null: no graph is recorded
  std::unique_ptr<dry_run> dry;            // null: not a dry run
  spmd_guard* guard = nullptr;             // null: a single node
  std::uint32_t side_effects = 0;          // number of side_effect objects made
  std::uint64_t submitted = 0;             // tasks below this number are submitted completely
  event back_pressure;                     // to be awaited before the next task is submitted
  std::exception_ptr pipeline_failure;     // the error of a refused pending launch; it ends the program
  launch_cache launches;                   // also guarded by `submission_mutex`, if there is a pipeline
  weight_measurement weights;
  // For weights that nodes decide together. Used by the submitting call.
  buffer<double> load_exchange;
  std::shared_ptr<std::vector<graph::measured_load>> node_loads;
  event loads_ready;
  // Scratch memory for the task being submitted.
  launch_key key;
  std::vector<graph::command> new_commands;
  std::vector<graph::instruction> new_instructions;
  /// Mappings of custom functions, kept so that the graphs recognise repeated ones.
  struct custom_mapping {
    std::shared_ptr<const detail::range_mapper::function> of;
    box elements;
    graph::mapping is;
  };
  std::vector<custom_mapping> custom_mappings;
  std::shared_ptr<void> checkpoints;  // state of the checkpoint floor
  event files;                        // of this node: all file operations so far

  /// Evicts all buffer data from this memory of a device. The event triggers when the data has left; nothing if
  /// there was none. The caller must not hold a buffers_lock.
  static std::optional<event> clear(buffers_state& s, place memory, base::thread_context& context);

  /// Starts the instructions of these commands. A dry run only counts them.
  task_outcome carry_out(std::span<const graph::command> of, std::span<const graph::instruction> all,
                         const task_work& work, base::thread_context& context);

  // Released buffers, to be removed by the next holder of the state. They have a mutex of their own: destroying a
  // function of the program while the state is held may release the last handle of a buffer.
  std::atomic<bool> has_released = false;
  std::mutex released_mutex;
  struct released_buffer {
    graph::buffer_id is;
    std::uint64_t behind = 0;  // number of pending launches that may still name it
  };
  std::vector<released_buffer> released;
};

/// True if the task is cut by the weights of all devices, so that its times show their speeds.
inline bool shows_speed(const graph::task& t) noexcept {
  return t.kind == graph::task_kind::kernel && t.by == graph::processors::devices && !t.devices;
}

/// Locks the buffers of a runtime. Removes released buffers before it unlocks. Pending launches may not be in the
/// graphs: calls of the program use a submission lock (launch_pipeline.hpp).
class buffers_lock {
 public:
  explicit buffers_lock(buffers_state& s);
  ~buffers_lock();
  buffers_lock(const buffers_lock&) = delete;
  buffers_lock& operator=(const buffers_lock&) = delete;

 private:
  buffers_state& s_;
  sched::worker* const here_;  // must not free memory by running other tasks meanwhile
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
