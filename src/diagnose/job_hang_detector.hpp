// job_hang_detector.hpp - what the nodes of a job tell one another when one of them does not go on: whether anything can happen at all, and who
// waits for whom over all nodes.
//
// A node that has work and makes no progress complains to the judge, the first node that is not lost. The judge asks all how they stand. If
// each says that nothing can happen on it but by messages, it asks them once more: if nobody has made progress since, and as many messages
// have been handled as sent, then at the moment of the second question nothing ran and nothing was on its way; nor will it ever be.
//
// Where a run has failed or programs differ, what was proven is told to nobody: on each node what the program waits for ends with that cause, if nothing
// has happened there since. What then still waits is told of at the next verdict.
//
// Messages    stuck: from who complains. ask, answer: 2(N-1) in each of two rounds. told: to who complained. None while all go on.
//             over: from the judge to one other, and from that to the rest and the judge, so that each hears it in a poll.
// Threads     advance and complain: the watcher's. Handlers run inside job::poll, and only note what has come.
// Invariants  (1) one verdict for each complaint that is answered. (2) what is said here counts as no message (job::counted::no).
// Source      two rounds of counting: Mattern, "Algorithms for distributed termination detection", 1987, as in dist/termination.hpp.
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
  static constexpr std::chrono::seconds reply_timeout{2};  // with answers
  static constexpr unsigned max_unproven_rounds = 8;                // where nothing happens, before it is told that nothing is proven

  /// Before job::start.
  explicit job_hang_detector(dist::job& j);
  /// What is called when something has come, so that it advances soon; null: nothing.
  void wakes(void (*watcher)()) noexcept { wake_.store(watcher, std::memory_order_release); }
  void wake() const {
    if (auto* const watcher = wake_.load(std::memory_order_acquire)) watcher();
  }

  /// Where something has gone wrong that other nodes wait for, nobody is accused: what waits ends.
  struct failure_hooks {
    std::function<bool()> is_failure_known;                            // on this node; any thread
    std::function<std::uint64_t()> progress;                    // as of standing
    std::function<void(base::thread_context&)> end_waits;  // on the thread that polls
  };
  /// Before the first poll.
  void set_failure_hooks(failure_hooks h) { failure_hooks_ = std::move(h); }
  bool is_failure_known() const { return failure_hooks_.is_failure_known && failure_hooks_.is_failure_known(); }

  /// How this node stands. Nothing can happen by itself: snapshot.is_proven.
  struct node_state {
    base::wait_snapshot snapshot;
    std::uint64_t progress = 0;  // whatever is done here makes it larger
  };
  using state_reader = std::function<node_state()>;

  /// What is wanted of the judge: to tell of anything, where nothing goes on; of what is proven alone; or at once, whatever is found.
  enum class verdict_request : std::uint8_t { any, proven_only, at_once };
  void request_verdict(verdict_request w);

  /// Answers what was asked and goes on with what is under way, at the time `now`. A verdict is the judge's alone, to be told to the user:
  /// all nodes together, with what is proven.
  ///   limit   seconds for which nothing may have happened anywhere, for one that is not proven
  std::optional<base::wait_snapshot> advance(const state_reader& own_state, double limit, clock::time_point now);
  /// It wants to be advanced soon, although nothing comes.
  bool needs_advance() const;

  /// Of this node's complaint since the last forget(): what the judge has said, if anything. Goes_on: something happens elsewhere.
  enum class verdict : std::uint8_t { none, progress_elsewhere, reported, proven };
  verdict last_verdict() const;
  /// Whether the judge is dealing with a complaint: on the judge's node, that its rounds are not over; elsewhere, that it has asked this node
  /// since `since`. On a busy machine that takes long, and an answer comes in the end.
  bool is_deciding(clock::time_point since) const;
  /// There was progress here.
  void forget();

  bool is_alone() const noexcept;  // no other node is left, so that this one can judge by itself

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
  // These require the lock.
  bool has_verdict_requests() const;
  void query_all(bool with_snapshot, clock::time_point now);
  bool have_all_replied(const std::vector<std::optional<node_report>>& in) const;
  /// After the first round: whether a second is worth it.
  bool are_all_still() const;
  /// After the second.
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
  std::atomic<std::uint64_t> reported_progress_{0};  // progress, when this node was looked at last

  mutable std::mutex lock_;
  std::optional<coordinator_query> pending_query_;  // of this node, the latest
  clock::time_point queried_at_;     // the last time that this node was asked
  verdict last_verdict_ = verdict::none;
  // The judge's.
  std::vector<std::optional<verdict_request>> verdict_requests_;  // by rank
  enum class phase : std::uint8_t { idle, first, second } phase_ = phase::idle;
  std::uint64_t round_ = 0;
  clock::time_point begun_;
  std::vector<std::optional<node_report>> first_reports_, second_reports_;
  /// What was told last, until something happens: of nothing, without proof or with it.
  struct last_report {
    std::uint64_t progress = 0;  // of all together
    unsigned unproven_rounds = 0;         // rounds in a row without proof
    bool is_reported = false, is_proven = false, has_ended_waits = false;
  } last_report_;
};

}  // namespace stretto::diagnose
