// job_hang_detector.hpp - detects hangs of a whole job: whether anything can still happen on any node, and which nodes
// wait for which.
//
// A node that has work and makes no progress requests a verdict from the coordinator, the first node that is not lost.
// The coordinator queries the state of all nodes, in two rounds (dist/counting_round.hpp). If each node replies in the
// first round that only a message can cause anything there, the second round follows. If no node has made progress
// since, and as many messages were handled as sent, then nothing ran and no message was in flight at the time of the
// second query. The hang is proven. If a node fails meanwhile, the two rounds are repeated.
//
// If a run has failed or the programs of the nodes differ, a proven hang is not reported. Instead, on each node without
// progress since, what the program waits for ends with that failure. The next verdict reports everything that
// still waits then.
//
// Messages    request: from the stalled node. query, reply: 2(N-1) in each of two rounds. verdict: to the nodes that
//             requested it. None while all nodes make progress. end_waits: from the coordinator to one other node,
//             which forwards it to the rest and the coordinator, so that each node handles it in a poll.
// Threads     advance and request_verdict: the monitor's thread. Handlers run inside job::poll and only store what has
//             arrived.
// Invariants  (1) one verdict for each request that is answered. (2) these messages are not counted
//             (dist/message_type.hpp).
// Source      two rounds of counting: dist/counting_round.hpp.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "diagnose/hang_messages.hpp"
#include "dist/counting_round.hpp"
#include "dist/job.hpp"

namespace stretto::diagnose {

class job_hang_detector final : public dist::protocol {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds reply_timeout{2};
  static constexpr unsigned max_unproven_rounds = 8;  // without progress, before an unproven stall is reported

  /// Must be made before job::start.
  explicit job_hang_detector(dist::job& j);
  /// Sets the function to call when a message has arrived, so that advance() is called soon; may be null.
  void wakes(void (*watcher)()) noexcept { wake_.store(watcher, std::memory_order_release); }
  void wake() const {
    if (auto* const watcher = wake_.load(std::memory_order_acquire)) watcher();
  }

  /// If a failure that other nodes wait for is known, no hang is reported; pending waits are ended instead.
  struct failure_hooks {
    std::function<bool()> is_failure_known;                // on this node; any thread
    std::function<std::uint64_t()> progress;               // as node_state::progress
    std::function<void(base::thread_context&)> end_waits;  // on the thread that polls
  };
  /// Must be called before the first poll.
  void set_failure_hooks(failure_hooks h) { failure_hooks_ = std::move(h); }
  bool is_failure_known() const { return failure_hooks_.is_failure_known && failure_hooks_.is_failure_known(); }

  /// The state of this node. snapshot.is_proven: only a message can cause anything here.
  struct node_state {
    base::wait_snapshot snapshot;
    std::uint64_t progress = 0;  // grows with everything that is done here
  };
  using state_reader = std::function<node_state()>;

  using verdict_request = diagnose::verdict_request;
  void request_verdict(verdict_request w);

  /// Replies to a query and continues the current round, at the time `now`. On the coordinator it may return the merged
  /// snapshot of all nodes, which must be reported to the user.
  ///   limit   seconds without progress on all nodes, from which an unproven stall is reported
  std::optional<base::wait_snapshot> advance(const state_reader& own_state, double limit, clock::time_point now);
  /// True if advance() should be called soon, although no message arrives.
  bool needs_advance() const;

  using verdict = hang_verdict;
  /// The coordinator's last verdict since forget(), if any.
  verdict last_verdict() const;
  /// True if the coordinator is working on a verdict: on the coordinator, its rounds are not over; elsewhere, it has
  /// queried this node after `since`. On a busy host this takes long, but a verdict will come.
  bool is_deciding(clock::time_point since) const;
  /// Must be called when this node has made progress.
  void forget();

  bool is_alone() const noexcept;  // all other nodes are lost: this one decides by itself

  void lost(dist::rank node, base::thread_context& context) noexcept override;

 private:
  /// Of a node, or summed over all. active_nodes: nodes that can cause something without a message.
  struct counts {
    std::uint64_t active_nodes = 0, progress = 0, sent = 0, handled = 0;
    counts& operator+=(const counts& b) noexcept {
      active_nodes += b.active_nodes, progress += b.progress, sent += b.sent, handled += b.handled;
      return *this;
    }
    friend bool operator==(const counts&, const counts&) = default;
  };
  struct node_report {
    counts count;
    base::wait_snapshot snapshot;
  };
  struct coordinator_query {
    dist::rank from = 0;
    dist::round_number round = {};
    bool with_snapshot = true;
  };

  void on_request(dist::rank from, const hang_request& m, base::thread_context& context);
  void on_query(dist::rank from, const hang_query& m, base::thread_context& context);
  void on_reply(dist::rank from, const hang_reply& m, base::thread_context& context);
  void on_verdict(dist::rank from, const hang_decision& m, base::thread_context& context);
  void on_end_waits(dist::rank from, const hang_end& m, base::thread_context& context);

  node_report report_of(const state_reader& own_state);
  // With the lock held.
  bool has_verdict_requests() const;
  void begin_round(bool with_snapshot, clock::time_point now);
  base::wait_snapshot merged_reports(bool is_proven) const;
  void reset_if_progressed();
  bool should_retry();
  std::optional<base::wait_snapshot> end_without_proof(double limit);
  void send_verdict(verdict a);
  void broadcast_end_waits();

  dist::job& job_;
  std::atomic<void (*)()> wake_{nullptr};
  failure_hooks failure_hooks_;
  std::atomic<std::uint64_t> reported_progress_{0};  // in the last report of this node

  mutable std::mutex lock_;
  std::optional<coordinator_query> pending_query_;  // the latest query to this node
  clock::time_point queried_at_;                    // when this node was queried last
  verdict last_verdict_ = verdict::none;
  // On the coordinator.
  std::vector<std::optional<verdict_request>> verdict_requests_;  // by rank
  enum class phase : std::uint8_t { idle, first, second } phase_ = phase::idle;
  dist::counting_round<counts> round_;
  clock::time_point begun_;                                    // when the round began
  counts first_counts_;                                        // the sum of the first round, once it is complete
  std::vector<std::optional<base::wait_snapshot>> snapshots_;  // by rank, from the first round
  /// Reports since the last progress.
  struct last_report {
    std::uint64_t progress = 0;    // sum over all nodes, of progress and handled messages
    unsigned unproven_rounds = 0;  // consecutive rounds without proof
    bool is_reported = false, is_proven = false, has_ended_waits = false;
  } last_report_;
};

}  // namespace stretto::diagnose
