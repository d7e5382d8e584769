// remote_barriers.hpp - barriers of other nodes: arrivals are sent to the owner, which notifies the nodes that wait for
// a phase.
//
// Arrivals are sent at once. Arrivals that come while another thread of the node is sending are combined: counts are
// added and values are reduced locally. A query about a phase gets one reply: all phases that have ended since the last
// one that the asking node knew, with failures and values. A node that has queried before attaches a query to its next
// arrival. So a phase costs two messages per node that arrives and waits.
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
#include "event/remote_barrier.hpp"

namespace stretto::dist {

class remote_barriers final : public stretto::remote_barriers, public protocol {
 public:
  static constexpr std::uint64_t values_kept = 8;

  /// Must be made before job::start.
  explicit remote_barriers(job& j);
  ~remote_barriers() override;
  void serve(base::runtime_context& runtime);

  bool reaches(std::uint64_t id) const noexcept override;
  void arrive(std::uint64_t id, std::uint64_t phase, std::uint32_t count, const failure* cause, const void* value,
              const detail::phase_fold& fold, base::thread_context& context,
              const std::source_location& where) override;
  event alter(std::uint64_t id, std::uint64_t phase, std::int32_t delta, base::thread_context& context,
              const std::source_location& where) override;
  bool has_ended(std::uint64_t id, std::uint64_t phase) override;
  event event_at(std::uint64_t id, std::uint64_t phase, base::thread_context& context,
                 const std::source_location& where) override;
  detail::phases::value_state value(std::uint64_t id, std::uint64_t phase, void* into, std::size_t bytes,
                                    failure_ref& cause) override;
  void destroy(std::uint64_t id, std::uint64_t phase, base::thread_context& context,
               const std::source_location& where) override;
  void destroyed(std::uint64_t id, const failure_ref& why) override;

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
  struct ended_phase {
    failure_ref cause;
    std::vector<std::byte> value;
    event done;
  };
  /// A barrier of another node.
  struct record {
    std::uint64_t ended_below = 0;
    bool has_queried = false, is_sending = false;
    std::vector<std::uint64_t> queried_phases;   // without reply; not below ended_below
    std::map<std::uint64_t, event> pending;      // events of this node for phases without reply
    std::map<std::uint64_t, ended_phase> ended;  // poisoned ones, and the latest with values
    std::map<std::uint64_t, arrival_batch> to_send;
    failure_ref gone;
  };
  /// A barrier of this node, and the nodes that use it.
  struct owned_barrier {
    std::vector<bool> users, arrived;  // by rank
    failure_ref lost;
  };
  struct pending_alteration {
    std::uint64_t barrier;
    event done;
  };
  struct subscription;
  struct deferred_end {
    event e;
    failure_ref cause;
  };

  rank owner_of(std::uint64_t id) const noexcept;
  record& at(std::uint64_t id);  // these with the lock held
  bool add_query(record& r, std::uint64_t phase);
  owned_barrier& owned_at(std::uint64_t id);
  static void finish_all(record& r, const failure_ref& why, std::vector<deferred_end>& deferred);

  void query(std::uint64_t id, std::uint64_t phase, std::uint64_t known);
  void send_arrivals(std::uint64_t id);
  void reply(rank to, std::uint64_t id, std::uint64_t known);
  void reply_when_ended(rank to, std::uint64_t id, std::uint64_t phase, std::uint64_t known,
                        base::thread_context& context);
  void send_gone(rank to, std::uint64_t id, const failure_ref& why);
  void refuse(rank to, call_number request, const std::string& who, const std::source_location& where);
  void fail_barrier(std::uint64_t id, const failure_ref& why, base::thread_context& context);

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
  std::unordered_map<std::uint64_t, record> records_;
  std::unordered_map<std::uint64_t, owned_barrier> owned_barriers_;
};

}  // namespace stretto::dist
