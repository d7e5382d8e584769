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

class quiet_rounds {
 public:
  /// Before job::start; null: the runtime is alone.
  quiet_rounds(dist::job* j, std::function<letter_counts()> counts);

  event ask(const std::source_location& where);
  /// A letter is over, and its count is.
  void look_if_alone() noexcept {
    if (waiting_.load(std::memory_order_relaxed) && !job_) [[unlikely]]
      look();
  }

  void advance();
  void lost(dist::rank node);

 private:
  struct waiter {
    user_event what;
    std::uint64_t after;  // the round that had begun last
  };
  void on_ask(dist::rank from, dist::reader& content, base::thread_context& context);
  void on_answer(dist::rank from, dist::reader& content, base::thread_context& context);
  void look();
  void begin_round();
  void add(dist::rank from, const letter_counts& c);
  void end_round();
  /// Those that had asked before that round began.
  void trigger(std::uint64_t round);

  dist::job* const job_;
  const std::function<letter_counts()> counts_;
  dist::message_kind ask_{}, answer_{};

  std::mutex lock_;
  std::vector<waiter> all_;
  std::atomic<std::size_t> waiting_{0};  // all_.size()
  std::atomic<std::uint64_t> round_{0};  // of this node's

  // Inside a poll.
  std::map<dist::rank, std::uint64_t> asked_;  // whose questions wait, and of which round
  bool is_asking_ = false;
  std::uint32_t missing_ = 0;
  std::vector<bool> has_answered_;
  letter_counts so_far_, before_;
  bool has_before_ = false;  // of the round before, and of the same nodes
};

}  // namespace stretto::mobiles
