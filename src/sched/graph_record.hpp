// graph_record.hpp - a recorded graph: its operations, its plan, and one state for each replay in progress.
//
// Threads     operations and plan: written while recording, read-only while a replay is in progress. Members that the
//             mutex guards say so. A replay_state belongs to its replay; a part to the thread that starts it.
// Invariants  (1) a part's record is ready for its next run before its successors are notified. (2) after the last
//             successor is notified, a part, its replay and the graph may be gone. (3) a state returns to the free list
//             only when all sinks have ended, and with them everything.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <stretto/recorded_graph.hpp>

#include "base/count_down.hpp"
#include "sched/graph_plan.hpp"
#include "sched/profile_state.hpp"
#include "sched/scheduler.hpp"

namespace stretto {

namespace sched {

struct replay_state;

enum class part_kind : std::uint8_t { task, at_once, precondition, postcondition };

/// One recorded operation.
struct graph_operation {
  part_kind kind;
  const char* verb;
  detail::recorded_body body;
  std::string name;
  std::source_location where;
  std::uint16_t place;
  std::uint16_t bound;
  std::int8_t priority;
  std::uint32_t port;  // external conditions only: the number of the replay's binding

  /// `task "halo"`, or `task at wave.cpp:41`.
  std::string describe() const;
};

/// One step of one replay: a task's record, followed by what is needed to start its successors.
struct replay_part : task_record {
  replay_part(const detail::task_type& type, const graph_operation& o) noexcept : task_record(type, 1, o.where) {}

  replay_state* owner = nullptr;
  const graph_operation* operation = nullptr;  // the first of a step of several
  std::span<const std::uint32_t> successors;
  std::uint32_t in_degree = 0;
  std::atomic<std::uint32_t> missing{0};  // predecessors that have not ended; unused where there is only one
  event returned;                         // by the body: the operation ends when this event does
  failure_ref cause;                      // failed or skipped

  static replay_part& of(completion& c) noexcept { return static_cast<replay_part&>(static_cast<task_record&>(c)); }
  static replay_part& of(waiter& link) noexcept { return static_cast<replay_part&>(task_record::of(link)); }
};
static_assert(sizeof(replay_part) == 128);

/// One replay. The graph keeps it for later replays, with its memory.
struct replay_state {
  waiter link{};  // subscribed to the replay's precondition
  detail::graph_core* core = nullptr;
  replay_part* parts = nullptr;  // the arguments stand behind them
  std::uint32_t part_count = 0;
  std::size_t alignment = 0;
  std::byte* arguments = nullptr;
  std::vector<event> bound;  // by port
  finish_scope* scope = nullptr;
  event done;
  event behind;      // its only step, on a device, may be enqueued behind this event
  event device_end;  // end of that step; only for such graphs; guarded by the graph's mutex
  std::source_location where;
  std::atomic<std::uint32_t> holds{0};  // conditions that must still be fulfilled before it begins
  std::atomic<std::uint32_t> sinks_left{0};
  std::atomic<bool> has_failed{false};
  failure_ref not_begun;                   // the reason why no operation of it runs; null if they run
  std::unique_ptr<profile_state> profile;  // null unless requested
  replay_state* next = nullptr;  // in the free list; with replays::in_turn, the replay that begins after this one

  explicit replay_state(detail::graph_core& g);
  replay_state(const replay_state&) = delete;
  ~replay_state();
};

}  // namespace sched

struct detail::graph_core {
  graph_core(sched::scheduler& owner, std::string_view name, replays overlap, const arguments_type& arguments);
  ~graph_core();

  const std::uint32_t number;   // in the handles of its operations
  const std::uint64_t runtime;  // number of the runtime's scheduler
  const std::string name;
  const replays overlap;
  const arguments_type arguments;

  // While recording.
  std::vector<std::unique_ptr<sched::graph_operation>> operations;
  std::vector<std::vector<std::uint32_t>> predecessors;
  std::size_t edges = 0;
  std::uint32_t ports = 0;
  std::uint32_t tasks = 0;
  bool is_in_order = true;  // each operation waits for earlier ones only

  std::atomic<std::uint32_t> references{1};  // the graph's, and one for each replay in progress

  mutable std::mutex mutex;  // guards what follows
  bool is_planned = false;
  sched::graph_steps steps;       // the units that a replay starts and ends
  std::vector<void*> bodies;      // by steps.operations.numbers
  bool is_of_one_device = false;  // a single step, which consists of launches on a device
  sched::graph_plan plan;         // of steps
  std::vector<std::unique_ptr<sched::replay_state>> states;
  sched::replay_state* free = nullptr;
  sched::replay_state* last = nullptr;  // with replays::in_turn: the replay that the next one waits for
  std::size_t under_way = 0;
  std::uint64_t replays_begun = 0;

  std::string describe() const;
  void release() noexcept {
    if (base::count_down(references)) delete this;
  }
};

}  // namespace stretto
