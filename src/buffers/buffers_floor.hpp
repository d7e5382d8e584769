// buffers_floor.hpp - starts and stops the buffers of a runtime; called by other floors.
//
// Threads     the thread that makes and destroys the runtime.
#pragma once

#include <stretto/error.hpp>

#include <functional>
#include <optional>
#include <source_location>
#include <string>

#include "base/context.hpp"
#include "buffers/dry_run.hpp"
#include "buffers/graph_recorder.hpp"
#include "buffers/pipeline_mode.hpp"
#include "buffers/spmd_guard.hpp"
#include "buffers/weight_measurement.hpp"
#include "device/device_set.hpp"

namespace stretto::buffers {

struct buffers_settings {
  bool check = false;  // kernels may access only what mappers name
  measured_levels measures = {};
  bool learn = false;  // reports at the end what kernels have used, next to what mappers name. On one node, on the host
  std::function<void(const std::string&)> warn = {};
  graph_recorder::settings graph = {};  // without a file no graph is written
  dry_settings dry = {};
  pipeline_mode pipeline = pipeline_mode::off;
  spmd_guard* guard = nullptr;  // of the job that the runtime is part of, which outlives the buffers; null: no job
};

/// `devices` null: the host alone. To be called after the data floor has started and knows the other nodes. Throws B17
/// for the file of a graph.
void start_buffers(base::runtime_context& runtime, device::device_set* devices, const buffers_settings& settings);
/// Reports a failed run of this node to other nodes, which then do not wait for its work. Returns the underlying cause:
/// B23 after divergence (if it is to query the nodes, it waits for the verdict), N17 if another node's run failed.
enum class queries_nodes : bool { no, yes };
std::optional<error> handle_failed_run(base::runtime_context& runtime, const std::exception_ptr& why,
                                       queries_nodes queries, const std::source_location& where);
/// At the end: an error that no run has reported, if this node lacks work because of divergence or another node's
/// failed run.
std::optional<error> unreported_peer_failure(base::runtime_context& runtime);
/// True if `f` may be caused by a failure on another node. After such a failure our own errors may be, such as elements
/// that never arrived; exceptions of the program are not.
bool may_be_caused_by_peers(const base::runtime_context& runtime, const failure& f) noexcept;
/// True if this node knows of a failed run or of divergence. Any thread.
bool has_failed_or_diverged(const base::runtime_context& runtime) noexcept;
/// All nodes are stuck after a failure: ends the waits of the program with its cause. On a thread of the runtime.
void fail_stuck_waits(base::thread_context& context);
/// The program has ended. To be called before the node leaves its job.
void end_program(base::runtime_context& runtime, spmd_guard::ended how);
/// To be called before the scheduler stops: ends measuring, as measurements are futures of its tasks.
void stop_measuring(base::runtime_context& runtime) noexcept;
/// At the end, once: prints the summary of a dry run and the prediction, and writes the file of the graph.
void report_graphs(const base::runtime_context& runtime);
/// To be called before the data floor stops, when all operations have ended.
void stop_buffers(base::runtime_context& runtime) noexcept;

}  // namespace stretto::buffers
