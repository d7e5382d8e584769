// quiescence_detection.hpp - finds out that no letter is on its way or being handled, on any node.
//
// Each node counts what it has sent and what of that is over: a letter is over when its sender knows that it has been handled, and its
// handler has counted by then what it has sent itself. Who asks collects the counts of all in rounds. If as much was over in one round as
// had been sent in the next, nothing was on its way between the two. A node answers once that is so of itself, and no handler runs there.
//
// Threads     ask and look_if_alone: any. The rest inside a poll.
// Messages    2(N-1) a round; two rounds after all has come to rest.
// Source      the four counters: Mattern, "Algorithms for distributed termination detection", 1987. Ours counts at the sender alone, so that
//             what was sent to a node that is lost, or by one, needs no care.
#pragma once

#include <stretto/event.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "dist/job.hpp"
#include "mobile/message_counts.hpp"

namespace stretto::mobiles {

class quiescence_detection {
 public:
  /// Before job::start; null: the runtime is alone.
  quiescence_detection(dist::job* j, std::function<message_counts()> counts);

  event when_quiescent(const std::source_location& where);
  /// A letter is over, and its count is.
  void check_if_single_node() noexcept {
    if (waiter_count_.load(std::memory_order_relaxed) && !job_) [[unlikely]]
      check();
  }

  void advance();
  void on_node_failed(dist::rank node);

 private:
  struct waiter {
    user_event reached;
    std::uint64_t after_round;  // the round that had begun last
  };
  void on_query(dist::rank from, dist::reader& content, base::thread_context& context);
  void on_reply(dist::rank from, dist::reader& content, base::thread_context& context);
  void check();
  void begin_round();
  void add(dist::rank from, const message_counts& c);
  void end_round();
  /// Those that had asked before that round began.
  void trigger(std::uint64_t round);

  dist::job* const job_;
  const std::function<message_counts()> counts_;
  dist::message_kind query_{}, reply_{};

  std::mutex lock_;
  std::vector<waiter> waiters_;
  std::atomic<std::size_t> waiter_count_{0};  // all_.size()
  std::atomic<std::uint64_t> round_{0};  // of this node's

  // Inside a poll.
  std::map<dist::rank, std::uint64_t> unanswered_queries_;  // whose questions wait, and of which round
  bool is_round_open_ = false;
  std::uint32_t replies_missing_ = 0;
  std::vector<bool> has_replied_;
  message_counts this_round_, last_round_;
  bool has_last_round_ = false;  // of the round before, and of the same nodes
};

}  // namespace stretto::mobiles
