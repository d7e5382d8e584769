// termination.hpp - when a job is over: nothing runs on any node, and no message is under way.
//
// Each node that leaves goes on serving the others. The first node that is not lost asks all: whoever has nothing to do answers with
// how many messages it has sent and handled. If two rounds of answers in a row have the same sums, sent as many as handled, nothing
// happened between. Then what still waits, waits for events that nobody will trigger: every node poisons those of its own (E14). If
// that set anything going, the question is asked again; if not, the job is over on all nodes.
//
// Where links are cut so that not all nodes see the same losses, who asks says whom it has lost, and who is about to answer parts from
// those, with a word: what is left in the end are groups in which every node reaches the one that asks, and each ends for itself.
//
// Threads     leave: the thread that ends the runtime. The rest inside a poll.
// Messages    2(N-1) per round, one for each parting; rounds follow one another only while all are idle.
// Source      counting messages in two rounds: Mattern, "Algorithms for distributed termination detection", 1987.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "dist/job.hpp"

namespace stretto::dist {

class termination final : public protocol {
 public:
  /// Before job::start.
  explicit termination(job& j);

  /// From now on it may end. `is_idle`: nothing is ready or runs here, and nothing is pending but messages; asked inside a poll.
  /// `forsake`: poisons what nobody here will end, and how much that was.
  struct callbacks {
    std::function<bool()> is_idle;
    std::function<std::size_t(base::thread_context&)> poison_untriggered;
  };
  void leave(callbacks w);
  bool is_leaving() const noexcept { return is_leaving_.load(std::memory_order_acquire); }
  bool is_over() const noexcept { return is_over_; }
  /// This node hears nothing any more: over for it.
  void mark_over() noexcept { is_over_ = true; }

  /// Asks or answers if it is time to. After each poll of the job.
  void advance(base::thread_context& context) override;

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  struct sums {
    std::uint64_t sent = 0, handled = 0, poisoned = 0;
    friend bool operator==(const sums&, const sums&) = default;
  };

  void on_query(rank from, reader& content, base::thread_context& context);
  void on_reply(rank from, reader& content, base::thread_context& context);
  void on_over(rank from, reader& content, base::thread_context& context);
  void on_disconnect(rank from, reader& content, base::thread_context& context);
  /// Whether there was anybody to part from.
  bool disconnect_from_all(const std::vector<rank>& all);

  sums local_sums() const noexcept;
  void begin_round(bool poisons, base::thread_context& context);
  void end_round();
  void broadcast_over();

  job& job_;
  message_kind query_, reply_, over_, disconnect_;
  callbacks callbacks_;
  std::atomic<bool> is_leaving_{false};
  bool is_over_ = false;

  // Who is asked: the questions that wait for an answer, each of another node. Only the first node that is left gets one.
  struct round_query {
    std::uint64_t round = 0;
    bool poisons = false;
    std::vector<rank> lost = {};  // to who asks
  };
  std::map<rank, round_query> queries_;
  std::uint64_t poisoned_ = 0;

  // Who asks.
  std::uint64_t round_ = 0;
  bool is_round_open_ = false, poisons_next_ = false;
  std::vector<bool> has_replied_;
  sums round_sums_, previous_sums_;
  bool has_previous_ = false;  // before_ is of the round before
  bool was_quiet_ = false;   // and that one was as the one before it; since then, what waits in vain has been let go
};

}  // namespace stretto::dist
