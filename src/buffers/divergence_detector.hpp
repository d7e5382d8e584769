// divergence_detector.hpp - detects that the programs of nodes diverge, and at which call.
//
// Nodes form a tree. Each node reports the number of its calls and their hash to its neighbours when it is idle, and
// every 256 calls. A node that has made as many calls compares. A node that finds a difference queries all nodes with
// the hashes of its last calls. Each node replies with the first call that differs, once it has made as many calls or
// is idle. The verdict goes to all nodes.
//
// Threads     receive, node_failed, advance: inside job::poll. request_verdict, end: any.
// Messages    report: up to 3 when a node becomes idle, or for 256 calls. Once programs differ: query, reply and
//             verdict for each node that finds it.
// Memory      64 reports from each neighbour that are ahead of this node.
// Invariants  (1) no function here waits. (2) divergence is reported only if two nodes have made as many calls and
//             their hashes differ.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/context.hpp"
#include "buffers/call_history.hpp"
#include "buffers/divergence_report.hpp"
#include "buffers/spmd_messages.hpp"

namespace stretto::buffers {

class divergence_detector {
 public:
  static constexpr std::uint64_t most_unreported = 256;  // calls
  static constexpr unsigned idle_polls = 32;             // polls without a call after which a node counts as idle
  static constexpr unsigned patience_polls = 512;  // the same before a reply to a query: the node may still catch up

  using message = std::variant<history_report, history_query, history_reply, divergence_verdict>;
  struct callbacks {
    /// Sends to another node; never waits.
    std::function<void(std::uint32_t to, const message& m)> send;
    /// Called once on every node when the programs have diverged.
    std::function<void(const divergence_report& d, base::thread_context& context)> on_divergence;
    /// Called inside a poll: the minimum time to wait before replying that this node cannot catch up, in ns. None: no
    /// minimum.
    std::function<std::uint64_t(const base::thread_context& context)> patience_ns = {};
  };
  divergence_detector(const call_history& of, std::uint32_t self, std::uint32_t nodes, callbacks c);

  /// Handles a message of another node. Those of one node arrive in order, but long ones may be overtaken.
  void receive(std::uint32_t from, const history_report& m, base::thread_context& context);
  void receive(std::uint32_t from, const history_query& m, base::thread_context& context);
  void receive(std::uint32_t from, const history_reply& m, base::thread_context& context);
  void receive(std::uint32_t from, const divergence_verdict& m, base::thread_context& context);
  /// Nothing comes from that node any more.
  void node_failed(std::uint32_t node, base::thread_context& context) noexcept;
  /// To be called at each poll, after messages were handled.
  void advance(base::thread_context& context);

  /// This node makes no more calls. It counts as idle and reports at the next poll, before the job can end. Any thread.
  void end() noexcept { has_ended_.store(true, std::memory_order_release); }

  /// Queries all nodes now; calls `then` when the verdict is known, after on_divergence has returned where programs
  /// have diverged. For a run that has failed, to find the cause.
  void request_verdict(std::function<void()> then, base::thread_context& context);

 private:
  /// Actions deferred until the lock is released.
  struct deferred_actions {
    std::optional<divergence_report> found;
    std::vector<std::function<void()>> then;
  };

  bool is_idle() const noexcept {
    return polls_without_call_ >= idle_polls || has_ended_.load(std::memory_order_acquire);
  }
  void report_to_neighbours(std::uint64_t calls);
  void compare_reports(deferred_actions& out);
  bool differs(const history_report& r) const;
  void suspect(std::uint32_t node, std::uint64_t calls, deferred_actions& out);
  void send_queries(deferred_actions& out);
  void reply_to_queries(const base::thread_context& context);
  bool may_catch_up(std::uint64_t calls, const base::thread_context& context);
  void end_round(deferred_actions& out);
  std::optional<divergence_report> divergence_found() const;
  void conclude(divergence_report d, deferred_actions& out);
  void run_deferred(deferred_actions& out, base::thread_context& context);
  /// Calls `change` with the lock held, then does what it has deferred.
  template <class F>
  void change_locked(base::thread_context& context, F&& change) {
    deferred_actions out;
    {
      const std::scoped_lock lock(lock_);
      change(out);
    }
    run_deferred(out, context);
  }

  const call_history& history_;
  const std::uint32_t self_, nodes_;
  const callbacks callbacks_;
  std::atomic<bool> has_ended_{false};

  std::mutex lock_;  // guards what follows
  std::vector<std::uint32_t> neighbours_;
  std::map<std::uint32_t, std::vector<history_report>> ahead_;  // from neighbours, ascending
  std::set<std::uint32_t> failed_nodes_;
  std::uint64_t seen_ = 0, reported_ = 0;  // calls
  unsigned polls_without_call_ = 0;
  std::map<std::uint32_t, history_query> queries_;            // from other nodes
  std::uint64_t calls_when_queried_ = 0, idle_since_ns_ = 0;  // ns; valid while there are queries
  std::atomic<bool> has_queries_{false};                      // there are queries
  bool has_concluded_ = false;                                // programs have diverged
  bool is_reported_ = false;                                  // on_divergence has returned
  // The query of this node.
  dist::round_number round_ = {};
  bool is_querying_ = false;
  call_history::hash_window queried_;
  std::set<std::uint32_t> awaited_;
  std::map<std::uint32_t, history_reply> replies_;
  // a node, and a number of calls after which the hashes differ
  std::optional<std::pair<std::uint32_t, std::uint64_t>> suspect_;
  std::vector<std::function<void()>> then_;
};

}  // namespace stretto::buffers
