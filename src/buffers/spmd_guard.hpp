// spmd_guard.hpp - what a node of a job does so that all nodes end where one goes wrong: notes each call on buffers, finds out where
// programs part, tells of a run that has failed, and ends what goes on then.
//
// Threads     add: whoever holds the buffers. The rest: any.
// Cost        add: about 200 instructions; a few where the option compare_nodes is off. On one node there is none of this.
// Invariants  (1) nothing waits but who has failed, in explain. (2) where a run has failed before task T, what nodes have of tasks before T
//             goes on as ever, and everything else ends; of several such runs the one that came least far counts.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>

#include "buffers/divergence_detector.hpp"
#include "buffers/call_history.hpp"
#include "buffers/failed_run.hpp"
#include "data/other_nodes.hpp"
#include "event/failure.hpp"

namespace stretto::buffers {

class spmd_guard final : private data::listener {
 public:
  enum class compares : bool { no, yes };
  /// `on_failure_or_divergence`: called once for each thing that goes wrong, when it is known here; on the thread that polls, or of the run that fails.
  spmd_guard(data::other_nodes& others, compares c, std::function<void()> on_failure_or_divergence = {});
  ~spmd_guard();

  /// Throws B23 once nodes are known to differ, and N17 for a task that a failed run has not come to.
  void add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where);

  /// This node makes no more calls, and as the program says unless it has failed. Who has made none says nothing.
  enum class ended : bool { normally, after_failure };
  void end(ended how);

  /// Waits until it is known whether the programs differ that nodes have run so far. On a thread of the runtime.
  void wait_for_verdict(const std::source_location& where);
  /// A run of this node ends with `why`, having submitted the tasks below `tasks`: all nodes are told, unless it is of another node's failure,
  /// or another came no farther. Returns N17 in place of the former.
  std::optional<error> fail(std::uint64_t tasks, const std::exception_ptr& why, const std::source_location& where);

  /// B23, if nodes differ; it counts as told from then on.
  std::optional<error> take_divergence();
  /// What no run of this node has told, which submitted the tasks below `tasks`: B23 if nodes differ, N17 if one has failed before them.
  std::optional<error> unreported(std::uint64_t tasks);
  /// Nothing can go on any more on any node: what the program waits for by itself ends with B23 or N17, whichever it is. On a thread of the runtime.
  void fail_stuck_waits(base::thread_context& context);
  /// Whether there is either.
  bool has_failed_or_diverged() const noexcept { return has_diverged_.load(std::memory_order_acquire) || first_missing_task_.load(std::memory_order_acquire) != none; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uint64_t failed_run_kind = divergence_detector::first_free_kind;

  void heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) override;
  void lost(std::uint32_t node, base::thread_context& context) noexcept override { detector_.lost(node, context); }
  void polled(base::thread_context& context) override { detector_.polled(context); }

  void on_divergence(const divergence_report& d, base::thread_context& context);
  /// False if another has come no farther.
  bool record_failed_run(const failed_run& r, base::thread_context& context);
  std::optional<error> failure();

  data::other_nodes& others_;
  const compares compares_;
  const std::function<void()> on_failure_or_divergence_;
  call_history history_;
  divergence_detector detector_;
  std::atomic<bool> has_diverged_{false}, is_reported_{false};
  std::atomic<std::uint64_t> first_missing_task_{none};  // the first task that a failed run has not submitted
  std::mutex lock_;  // guards what follows
  std::optional<error> divergence_;   // where they differ
  std::optional<error> failed_;  // of the run that came least far
};

}  // namespace stretto::buffers
