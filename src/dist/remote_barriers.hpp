// remote_barriers.hpp - barriers of other nodes: arrivals are sent to the owner, which notifies the nodes that wait for
// a phase.
//
// Arrivals are sent at once. Arrivals that come while another thread of the node is sending are combined: counts are
// added and values are reduced locally. A node remembers which phases have ended, and how (known_ends.hpp); replies
// to its queries also hold the values of phases. A node that has queried before attaches a query to its next arrival.
// So a phase costs two messages per node that arrives and waits.
//
// An arrival with a precondition is sent when the precondition has triggered. One arrival too many is therefore
// detected then (E21) and reported to the arriving node as an unobserved failure. alter_arrival_count returns when it
// has taken effect; later arrivals of third nodes that depend on it come after it.
//
// A barrier is lost (N05) with its owner, and with any node that has arrived at it, because nobody knows how many
// arrivals that node still owed.
//
// Threads     any, once served; handlers run inside job::poll.
// Cost        has_ended: a lock and a lookup. Memory: a record per remote barrier that this node uses, with the results
//             of its latest 8 phases.
// Source      combining by the thread that is already sending: flat combining, Hendler, Incze, Shavit, Tzafrir, SPAA
//             2010.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "base/wait_snapshot.hpp"
#include "dist/barrier_messages.hpp"
#include "dist/job.hpp"
#include "dist/known_ends.hpp"
#include "dist/rank_set.hpp"
#include "event/remote_barrier.hpp"

namespace stretto::dist {

class remote_barriers final : public stretto::remote_barriers, public protocol {
 public:
  static constexpr std::uint64_t values_kept = 8;

  /// Must be made before job::start.
  explicit remote_barriers(job& j);
  void serve(base::runtime_context& runtime);

  bool reaches(detail::barrier_id id) const noexcept override;
  void arrive(detail::barrier_id id, std::uint64_t phase, std::uint32_t count, const failure* cause, const void* value,
              const detail::phase_fold& fold, base::thread_context& context,
              const std::source_location& where) override;
  event alter(detail::barrier_id id, std::uint64_t phase, std::int32_t delta, base::thread_context& context,
              const std::source_location& where) override;
  bool has_ended(detail::barrier_id id, std::uint64_t phase) override;
  event event_at(detail::barrier_id id, std::uint64_t phase, base::thread_context& context,
                 const std::source_location& where) override;
  detail::phases::value_state value(detail::barrier_id id, std::uint64_t phase, void* into, std::size_t bytes,
                                    failure_ref& cause) override;
  void destroy(detail::barrier_id id, std::uint64_t phase, base::thread_context& context,
               const std::source_location& where) override;
  void destroyed(detail::barrier_id id, const failure_ref& why) override;

  void lost(rank node, base::thread_context& context) noexcept override;
  /// For hang reports: adds the phases of remote barriers that something waits for here.
  void add_wait_edges(base::wait_walk& walk) const;

  /// The number of barriers that this node keeps records of.
  std::size_t records() const;

 private:
  /// Arrivals at one phase that will be sent in one message.
  struct arrival_batch {
    std::uint32_t count = 0;
    failure_ref cause;
    std::vector<std::byte> value;
    std::source_location where;
  };
  using phase_ends = known_ends<std::uint64_t, event>;
  /// A barrier of another node.
  struct record {
    phase_ends ends{0};
    bool has_queried = false, is_sending = false;
    std::map<std::uint64_t, event> poisoned;                 // requested events of poisoned phases
    std::map<std::uint64_t, std::vector<std::byte>> values;  // of the latest phases
    std::map<std::uint64_t, arrival_batch> to_send;
    auto ask(std::uint64_t phase) {
      has_queried = true;
      return ends.ask(phase);
    }
  };
  /// A barrier of this node, and the nodes that use it.
  struct owned_barrier {
    rank_set users, arrived;
    failure_ref lost;
  };
  struct pending_alteration {
    detail::barrier_id barrier;
    event done;
  };

  rank owner_of(detail::barrier_id id) const noexcept;
  record& at(detail::barrier_id id);  // with the lock held
  static void end_all(std::vector<phase_ends::ended> all, base::thread_context& context);

  void send_arrivals(detail::barrier_id id);
  void reply(rank to, detail::barrier_id id, std::uint64_t known);
  void reply_when_ended(rank to, detail::barrier_id id, std::uint64_t phase, std::uint64_t known,
                        base::thread_context& context);
  void send_gone(rank to, detail::barrier_id id, const failure_ref& why);
  void send_gone(const rank_set& to, detail::barrier_id id, const failure_ref& why);
  void refuse(rank to, call_number request, const std::string& who, const std::source_location& where);
  void fail_barrier(detail::barrier_id id, const failure_ref& why, base::thread_context& context);

  void on_arrive(rank from, const barrier_arrival& m, base::thread_context& context);
  void on_query(rank from, const barrier_query& m, base::thread_context& context);
  void on_ended(rank from, const barrier_ended& m, base::thread_context& context);
  void on_alter(rank from, const barrier_alteration& m, base::thread_context& context);
  void on_altered(rank from, const barrier_altered& m, base::thread_context& context);
  void on_destroy(rank from, const barrier_destruction& m, base::thread_context& context);
  void on_gone(rank from, const barrier_gone& m, base::thread_context& context);
  void on_refused(rank from, const barrier_refused& m, base::thread_context& context);

  job& job_;
  detail::event_table* table_ = nullptr;

  remote_calls<pending_alteration> pending_alterations_;

  mutable std::mutex lock_;
  std::unordered_map<detail::barrier_id, record> records_;
  std::unordered_map<detail::barrier_id, owned_barrier> owned_barriers_;
};

}  // namespace stretto::dist
