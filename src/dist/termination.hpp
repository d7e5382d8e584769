// termination.hpp - detects that a job is over: nothing runs on any node, and no message is in flight.
//
// A node leaves when its own program has ended; it keeps serving the others. The first node that is not lost is the
// coordinator and queries all nodes in rounds (counting_round.hpp), once it has left itself. A node replies when it has
// left and is idle, with the number of messages that it has sent and handled.
// If each node replies the same in two consecutive rounds, and as many messages were sent as handled, nothing happened
// between the rounds.
// All remaining waits are for events that nobody will trigger: every node poisons those of its own (E14). If that
// caused new work, the rounds go on; if not, the job is over on all nodes.
//
// After a partial network failure the coordinator lists the nodes it has lost in each query. A node disconnects from
// those before it replies, and they from it. The job splits into groups in which every node reaches its coordinator;
// each group terminates on its own.
//
// Threads     leave: the thread that ends the runtime. The rest inside a poll.
// Messages    2(N-1) per round, and one per disconnection; rounds follow one another only while all nodes are idle.
// Source      two rounds of counting: counting_round.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "dist/counting_round.hpp"
#include "dist/job.hpp"
#include "dist/termination_messages.hpp"

namespace stretto::dist {

class termination final : public protocol {
 public:
  /// Must be made before job::start.
  explicit termination(job& j);

  /// is_idle: true if nothing is ready or runs here, and nothing but messages is pending; called inside a poll.
  /// poison_untriggered: poisons the events that nobody will trigger, and returns how many there were.
  struct callbacks {
    std::function<bool()> is_idle;
    std::function<std::size_t(base::thread_context&)> poison_untriggered;
  };
  /// The program of this node has ended: the job may end as far as this node is concerned.
  void leave(callbacks c);
  bool is_leaving() const noexcept { return is_leaving_.load(std::memory_order_acquire); }
  bool is_over() const noexcept { return is_over_; }
  /// This node receives no messages any more: the job is over for it.
  void mark_over() noexcept { is_over_ = true; }

  /// Begins a round or replies to a query if possible. Must be called after each poll of the job.
  void advance(base::thread_context& context) override;

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  struct counts {
    std::uint64_t sent = 0, handled = 0, poisoned = 0;
    counts& operator+=(const counts& b) noexcept {
      sent += b.sent, handled += b.handled, poisoned += b.poisoned;
      return *this;
    }
    friend bool operator==(const counts&, const counts&) = default;
  };

  void on_query(rank from, const termination_query& q, base::thread_context& context);
  void on_reply(rank from, const termination_reply& r, base::thread_context& context);
  void on_over(rank from, const termination_over& m, base::thread_context& context);
  /// True if this node was connected to any of them.
  bool disconnect_from_all(const std::vector<node_rank>& all);

  counts local_counts() const noexcept;
  void begin_round(bool poisons, base::thread_context& context);
  void end_round_if_complete();
  void broadcast_over();

  job& job_;
  callbacks callbacks_;
  std::atomic<bool> is_leaving_{false};
  bool is_over_ = false;

  // On every node: the queries without reply, by their sender. Only the query of the coordinator gets a reply.
  std::map<rank, termination_query> queries_;
  std::uint64_t poisoned_ = 0;

  // On the coordinator.
  counting_round<counts> round_;
  bool poisons_next_ = false;  // the next round poisons what waits in vain
  bool was_quiet_ = false;     // the last round equalled the one before; if the next one does, too, the job is over
};

}  // namespace stretto::dist
