// wait_snapshot.hpp - the wait graph of one runtime or of all nodes of a job, as a value.
//
// Each floor adds its waits to a wait_walk, the lowest floor first. A floor may find waiters of another floor: it
// leaves them in `linked`, and the other floor describes them. Only the floor `diagnose` makes walks.
//
// Threads     a value; the walk belongs to one thread.
// Invariants  (1) wait_node::waits_for are indices into nodes. (2) a node that no floor described has ended, or is
//             unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stretto::base {

/// operation: on instances, executed on this node. request: an operation in which other nodes take part, on the node
/// that requested it. rank: of MPI, also one that has ended.
enum class wait_kind : std::uint8_t {
  unknown,
  body,
  task,
  coroutine,
  thread,
  promise,
  finish,
  event,
  barrier,
  reservation,
  place,
  object,
  operation,
  request,
  rank
};
inline constexpr const char* wait_kind_names[] = {"unknown", "body",   "task",      "coroutine", "thread",
                                                  "promise", "finish", "event",     "barrier",   "reservation",
                                                  "place",   "object", "operation", "request",   "rank"};

/// Of the whole process: while something runs, arguments of calls may change, and reports leave them out.
enum class process_activity : bool { runs, sleeps };

struct wait_node {
  wait_kind kind = wait_kind::unknown;
  bool is_promised = false;  // of an event: its end is guaranteed
  bool is_end = false;       // the end of a runtime, which waits for all remaining work
  bool is_running = false;   // of a task: on a worker now; of a thread: outside
  std::string name;          // task "halo", reservation R0, event
  std::string on;            // of a report of several nodes: "N1"
  std::string everywhere;    // its name on all nodes of the job; empty: no other node is concerned
  std::string created_at;    // source line: "wave.cpp:41"; empty if unknown
  std::string waits_at;      // where it is suspended; empty if it is not
  std::string pending_on;    // of an operation or a request: its preconditions; empty if what it waits for says enough
  std::string held_by;       // the holder: the acquire at "wave.cpp:41", thread "reader" since "wave.cpp:41"
  std::uint64_t expected = 0, arrived = 0, announced = 0;  // of a barrier's phase
  std::vector<std::string> arrived_at;                     // of a barrier's phase: where, the latest few
  std::vector<std::uint32_t> waits_for;

  bool operator==(const wait_node&) const = default;
};

struct worker_state {
  std::uint32_t index = 0;
  bool is_idle = false;
  std::string runs;    // what runs on it; empty if nothing does or it is unknown
  double seconds = 0;  // for how long it has been observed
  std::int32_t kernel_thread = 0;
  std::vector<std::string> stack;  // of what runs, innermost first; empty if unknown
  std::string on;                  // of a report of several nodes: "N1"
  bool operator==(const worker_state&) const = default;
};

/// wait_node::held_by of a reservation that this node has passed on and whose holder it does not know.
inline constexpr const char* held_elsewhere = "another node";

/// The cost of a report after the limit had passed. On an idle machine it appears after at most one interval for each
/// sample, plus the processor time.
struct detection_cost {
  std::uint32_t samples = 0;            // without progress beyond the limit, that of the report included; 0: on request
  double longest_interval_seconds = 0;  // between two samples, whatever the limit
  double processor_seconds = 0;         // of these samples and of the report
  bool operator==(const detection_cost&) const = default;
};

struct wait_snapshot {
  std::uint32_t node = 0;
  std::uint32_t of_nodes = 1;         // number of nodes that this describes
  double seconds = 0;                 // time without progress
  bool is_proven = false;             // no progress is possible
  std::vector<std::string> unproven;  // else: why progress is possible
  std::vector<worker_state> workers;
  std::vector<wait_node> nodes;
  detection_cost detection;
  bool operator==(const wait_snapshot&) const = default;
};

class wait_walk {
 public:
  static constexpr std::size_t most_nodes = 20'000;

  explicit wait_walk(wait_snapshot& into) noexcept : into_(into) {}

  /// The node with that key, made at its first use. `raw` identifies it among those of its kind.
  std::uint32_t at(wait_kind key, std::uint64_t raw) {
    const auto [found, is_new] = known_.try_emplace({key, raw}, static_cast<std::uint32_t>(into_.nodes.size()));
    if (is_new) into_.nodes.emplace_back();
    return found->second;
  }
  wait_node& operator[](std::uint32_t index) noexcept { return into_.nodes[index]; }
  void link(std::uint32_t who, std::uint32_t waits_for) { into_.nodes[who].waits_for.push_back(waits_for); }
  bool has(wait_kind key, std::uint64_t raw) const { return known_.contains({key, raw}); }
  /// Numbers that were mentioned with `key` and are not described yet.
  std::vector<std::uint64_t> undescribed(wait_kind key) const {
    std::vector<std::uint64_t> raw;
    for (const auto& [what, index] : known_)
      if (what.first == key && into_.nodes[index].kind == wait_kind::unknown) raw.push_back(what.second);
    return raw;
  }
  /// Numbers that were mentioned with `key`, described or not, with their indices.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all(wait_kind key) const {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> found;
    for (auto i = known_.lower_bound({key, 0}); i != known_.end() && i->first.first == key; ++i)
      found.emplace_back(i->first.second, i->second);
    return found;
  }
  bool is_full() const noexcept { return into_.nodes.size() >= most_nodes || linked.size() >= most_nodes; }

  /// The address of a waiter that is linked to an event, and the node that will fire it.
  struct found_waiter {
    const void* waiter;
    std::uint32_t target;
  };
  std::vector<found_waiter> linked;
  /// For waiters that the scheduler does not know: each function returns whether its floor has described the waiter.
  std::vector<std::function<bool(const found_waiter&)>> others;

 private:
  wait_snapshot& into_;
  std::map<std::pair<wait_kind, std::uint64_t>, std::uint32_t> known_;
};

}  // namespace stretto::base
