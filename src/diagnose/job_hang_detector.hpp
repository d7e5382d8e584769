// job_hang_detector.hpp - detects hangs of a whole job: whether anything can still happen on any node, and which nodes
// wait for which.
//
// A node that has work and makes no progress requests a verdict from the coordinator, the first node that is not lost.
// The coordinator queries the state of all nodes. If each replies that only a message can cause anything there, it
// queries them once more. If no node has made progress since, and as many messages were handled as sent, then nothing
// ran and no message was in flight at the time of the second query. The hang is proven.
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
// Invariants  (1) one verdict for each request that is answered. (2) these messages are not counted (job::counted::no).
// Source      two rounds of counting: Mattern, "Algorithms for distributed termination detection", 1987, as in
//             dist/termination.hpp.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/wait_snapshot.hpp"
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

  /// The stalls that the coordinator should report: any stall; only a proven hang; or the state at once, whatever it
  /// is.
  enum class verdict_request : std::uint8_t { any, proven_only, at_once };
  void request_verdict(verdict_request w);

  /// Replies to a query and continues the current round, at the time `now`. On the coordinator it may return the merged
  /// snapshot of all nodes, which must be reported to the user.
  ///   limit   seconds without progress on all nodes, from which an unproven stall is reported
  std::optional<base::wait_snapshot> advance(const state_reader& own_state, double limit, clock::time_point now);
  /// True if advance() should be called soon, although no message arrives.
  bool needs_advance() const;

  /// The coordinator's last verdict since forget(), if any. progress_elsewhere: another node makes progress.
  enum class verdict : std::uint8_t { none, progress_elsewhere, reported, proven };
  verdict last_verdict() const;
  /// True if the coordinator is working on a verdict: on the coordinator, its rounds are not over; elsewhere, it has
  /// queried this node after `since`. On a busy host this takes long, but a verdict will come.
  bool is_deciding(clock::time_point since) const;
  /// Must be called when this node has made progress.
  void forget();

  bool is_alone() const noexcept;  // all other nodes are lost: this one decides by itself

  void lost(dist::rank node, base::thread_context& context) noexcept override;

 private:
  struct node_report {
    bool is_still = false;
    std::uint64_t progress = 0, sent = 0, handled = 0;
    std::optional<base::wait_snapshot> snapshot;
  };
  struct coordinator_query {
    dist::rank from = 0;
    std::uint64_t round = 0;
    bool with_snapshot = true;
  };

  void on_request(dist::rank from, dist::reader& content, base::thread_context& context);
  void on_query(dist::rank from, dist::reader& content, base::thread_context& context);
  void on_reply(dist::rank from, dist::reader& content, base::thread_context& context);
  void on_verdict(dist::rank from, dist::reader& content, base::thread_context& context);
  enum class forwarding : std::uint8_t { no, yes };
  void on_end_waits(dist::rank from, dist::reader& content, base::thread_context& context);

  node_report report_of(const state_reader& own_state);
  // With the lock held.
  bool has_verdict_requests() const;
  void query_all(bool with_snapshot, clock::time_point now);
  bool have_all_replied(const std::vector<std::optional<node_report>>& in) const;
  /// After the first round: true if a second round is worthwhile.
  bool are_all_still() const;
  /// After the second round: true if the hang is proven.
  bool is_unchanged() const;
  base::wait_snapshot merged_reports(bool is_proven) const;
  void reset_if_progressed();
  bool should_retry();
  std::optional<base::wait_snapshot> unproven(double limit);
  void send_verdict(verdict a);
  void broadcast_end_waits();

  dist::job& job_;
  std::atomic<void (*)()> wake_{nullptr};
  dist::message_kind request_, query_, reply_, verdict_, end_waits_;
  failure_hooks failure_hooks_;
  std::atomic<std::uint64_t> reported_progress_{0};  // in the last report of this node

  mutable std::mutex lock_;
  std::optional<coordinator_query> pending_query_;  // the latest query to this node
  clock::time_point queried_at_;                    // when this node was queried last
  verdict last_verdict_ = verdict::none;
  // On the coordinator.
  std::vector<std::optional<verdict_request>> verdict_requests_;  // by rank
  enum class phase : std::uint8_t { idle, first, second } phase_ = phase::idle;
  std::uint64_t round_ = 0;
  clock::time_point begun_;
  std::vector<std::optional<node_report>> first_reports_, second_reports_;
  /// Reports since the last progress.
  struct last_report {
    std::uint64_t progress = 0;    // sum over all nodes
    unsigned unproven_rounds = 0;  // consecutive rounds without proof
    bool is_reported = false, is_proven = false, has_ended_waits = false;
  } last_report_;
};

}  // namespace stretto::diagnose
