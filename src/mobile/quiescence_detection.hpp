// quiescence_detection.hpp - detects that no message to a mobile object is under way or being handled on any node.
//
// Each node counts the messages that it has sent, and how many of these have ended. A message has ended when its sender
// has its reply; its handler has counted its own messages by then. A node that waits for quiescence collects the counts
// of all nodes in rounds (dist/counting_round.hpp). A node replies only when all messages that it has sent have ended,
// and no handler runs there for another node. If each node replies the same in two consecutive rounds, no message was
// sent between the two, and none was under way.
//
// Threads     when_quiescent and check_if_single_node: any. All others: inside a poll.
// Messages    2(N-1) in a round; two rounds after the last message has ended.
// Source      two rounds of counting: dist/counting_round.hpp. This one counts at the sender only, so that messages to
//             and from failed nodes need no correction.
#pragma once

#include <stretto/event.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "dist/counting_round.hpp"
#include "dist/job.hpp"
#include "mobile/message_counts.hpp"
#include "mobile/quiescence_messages.hpp"

namespace stretto::mobiles {

class quiescence_detection {
 public:
  /// Call before job::start; null: a runtime without a job.
  quiescence_detection(dist::job* j, std::function<message_counts()> counts);

  event when_quiescent(const std::source_location& where);
  /// Call after a message has ended and is counted.
  void check_if_single_node() noexcept {
    if (waiter_count_.load(std::memory_order_relaxed) && !job_) [[unlikely]]
      check();
  }

  void advance();
  void on_node_failed(dist::rank node);

 private:
  struct waiter {
    user_event reached;
    dist::round_number after_round;  // the last round that had begun
  };
  void on_query(dist::rank from, const quiescence_query& m, base::thread_context& context);
  void on_reply(dist::rank from, const quiescence_reply& m, base::thread_context& context);
  void check();
  void begin_round();
  void end_round_if_complete();
  /// Those that began to wait before that round began.
  void trigger(dist::round_number round);

  dist::job* const job_;
  const std::function<message_counts()> counts_;

  std::mutex lock_;
  std::vector<waiter> waiters_;
  std::atomic<std::size_t> waiter_count_{0};      // waiters_.size()
  std::atomic<dist::round_number> last_round_{};  // round_.number()

  // Used inside a poll.
  std::map<dist::rank, dist::round_number> unanswered_queries_;  // by node, the round of its query
  dist::counting_round<message_counts> round_;                   // of this node
};

}  // namespace stretto::mobiles
