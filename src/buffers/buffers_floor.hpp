// buffers_floor.hpp - what other floors call to start and stop the buffers of a runtime.
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
#include "buffers/pipeline_mode.hpp"
#include "buffers/graph_recorder.hpp"
#include "buffers/spmd_guard.hpp"
#include "buffers/weight_measurement.hpp"
#include "device/device_set.hpp"
#include "graph/horizon_policy.hpp"

namespace stretto::buffers {

struct buffers_settings {
  bool check = false;  // kernels may touch what mappers name, and nothing else
  measured_levels measures = {};
  bool learn = false;  // what kernels touch is told at the end, beside what mappers name. On one node; on the host
  std::function<void(const std::string&)> warn = {};
  graph_recorder::settings graph = {};  // no file: none is made
  dry_settings dry = {};
  graph::horizon_policy horizons = {};
  bool compares = true;  // what the programs of nodes ask
  pipeline_mode pipeline = pipeline_mode::off;
  std::function<void()> on_failure_or_divergence = {};  // nodes differ, or the run of one has failed: when it is known here, on some thread of the runtime
};

/// Throws B16 where they would follow each launch; `what` says where they were given.
graph::horizon_policy checked_horizons(const graph::horizon_policy& given, const char* what, const std::source_location* where = nullptr);

/// `devices` null: the host alone. After the data floor, and after that knows of other nodes. Throws B17 for a graph's file.
void start_buffers(base::runtime_context& runtime, device::device_set* devices, const buffers_settings& settings);
/// A run has failed because of `why`; in it. Other nodes do not wait for what this one would have done. Returns what explains it: B23 if
/// nodes differ, which it waits to know if it is to ask them; N17 if it is because of another node's run.
enum class queries_nodes : bool { no, yes };
std::optional<error> handle_failed_run(base::runtime_context& runtime, const std::exception_ptr& why, queries_nodes asks, const std::source_location& where);
/// At the end: the error, if this node lacks something because nodes differ or the run of another has failed, and no run has told.
std::optional<error> unreported_peer_failure(base::runtime_context& runtime);
/// Whether `f` may come of what went wrong on other nodes: where something has, errors of ours may, such as elements that never came, and
/// exceptions of the program's own are none of those.
bool may_be_caused_by_peers(const base::runtime_context& runtime, const failure& f) noexcept;
/// Whether either is so, as far as is known here. Any thread.
bool has_failed_or_diverged(const base::runtime_context& runtime) noexcept;
/// Nothing can go on any more on any node, and something has gone wrong: what the program waits for ends because of it. On a thread of the runtime.
void fail_stuck_waits(base::thread_context& context);
/// The program has ended; before the node leaves its job.
void end_program(base::runtime_context& runtime, spmd_guard::ended how);
/// Before the scheduler: what has been measured is futures of its tasks. Nothing is measured any more.
void stop_measuring(base::runtime_context& runtime) noexcept;
/// Of what was asked of buffers: the line of a dry run on standard error, and the file of the graph. At the end, once.
void report_graphs(const base::runtime_context& runtime);
/// Before the data floor; all operations have ended.
void stop_buffers(base::runtime_context& runtime) noexcept;

}  // namespace stretto::buffers
