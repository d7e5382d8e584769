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

class same_program final : private data::listener {
 public:
  enum class compares : bool { no, yes };
  /// `went_wrong`: called once for each thing that goes wrong, when it is known here; on the thread that polls, or of the run that fails.
  same_program(data::other_nodes& others, compares c, std::function<void()> went_wrong = {});
  ~same_program();

  /// Throws B23 once nodes are known to differ, and N17 for a task that a failed run has not come to.
  void add(std::shared_ptr<const known_call> c, std::uint64_t task, const std::source_location& where);

  /// This node makes no more calls, and as the program says unless it has failed. Who has made none says nothing.
  enum class ended : bool { as_it_says, in_failure };
  void end(ended how);

  /// Waits until it is known whether the programs differ that nodes have run so far. On a thread of the runtime.
  void explain(const std::source_location& where);
  /// A run of this node ends with `why`, having submitted the tasks below `tasks`: all nodes are told, unless it is of another node's failure,
  /// or another came no farther. Returns N17 in place of the former.
  std::optional<error> fail(std::uint64_t tasks, const std::exception_ptr& why, const std::source_location& where);

  /// B23, if nodes differ; it counts as told from then on.
  std::optional<error> take_difference();
  /// What no run of this node has told, which submitted the tasks below `tasks`: B23 if nodes differ, N17 if one has failed before them.
  std::optional<error> untold(std::uint64_t tasks);
  /// Nothing can go on any more on any node: what the program waits for by itself ends with B23 or N17, whichever it is. On a thread of the runtime.
  void end_waits(base::thread_context& context);
  /// Whether there is either.
  bool has_gone_wrong() const noexcept { return differs_.load(std::memory_order_acquire) || missing_from_.load(std::memory_order_acquire) != none; }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::uint64_t failed_word = agreement::first_free_word;

  void heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) override;
  void lost(std::uint32_t node, base::thread_context& context) noexcept override { agreement_.lost(node, context); }
  void polled(base::thread_context& context) override { agreement_.polled(context); }

  void differ(const parting& d, base::thread_context& context);
  /// False if another has come no farther.
  bool take(const failed_run& r, base::thread_context& context);
  std::optional<error> failure();

  data::other_nodes& others_;
  const compares compares_;
  const std::function<void()> went_wrong_;
  course course_;
  agreement agreement_;
  std::atomic<bool> differs_{false}, is_told_{false};
  std::atomic<std::uint64_t> missing_from_{none};  // the first task that a failed run has not submitted
  std::mutex lock_;  // guards what follows
  std::optional<error> error_;   // where they differ
  std::optional<error> failed_;  // of the run that came least far
};

}  // namespace stretto::buffers
