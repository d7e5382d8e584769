// remote_events.hpp - events of other nodes: subscribed to once, notified once, inferred where that is sound.
//
// A node knows of a remote slot: a number and a list. All generations below `ended_below` have ended; those on the list
// were poisoned. The first wait or query for a generation that may be pending subscribes at the owner, which notifies
// the node once: at once if the generation has ended, else when it ends. A notification covers all generations since
// the last one that the node knew, so that one for a later generation serves the earlier ones. The handle of a later
// generation proves that an earlier one has ended, but not how; until the list arrives, the earlier one counts as
// pending.
//
// A node that triggers a remote event sends `end` to the owner and infers that the event has ended; the message says
// so, and the owner does not notify that node. Inferred generations above a gap are stored one by one; when there are
// `most_inferred`, the node asks for a notification after all. Only the owner reports poison and double triggering. The
// node whose trigger came second gets E01 with its source line, as an unobserved failure; it has inferred a success and
// keeps it.
//
// Messages    subscribe, ended: one each per node and generation that is queried. end: one; it replaces `ended` for a
//             node that has subscribed. So N nodes that take part in an event that triggers send at most 2N-2 messages.
// Threads     any, once served; handlers run inside job::poll.
// Cost        a query of known state: a hash and a short lock. Memory: about 120 bytes per remote slot that was ever
//             queried, which the owner's peak of untriggered events bounds.
// Source      generational events across nodes: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 5. Ours carries
//             failures, and infers the effect of its own triggers.
#pragma once

#include <array>
#include <unordered_map>

#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "dist/event_messages.hpp"
#include "dist/job.hpp"
#include "event/remote_owner.hpp"

namespace stretto::detail {
class event_table;
}

namespace stretto::dist {

class remote_events final : public remote_owner, public protocol {
 public:
  static constexpr std::size_t most_inferred = 8;

  /// Must be made before job::start. All protocols of a job share `causes`.
  explicit remote_events(job& j);
  ~remote_events() override;
  /// From now on, handles of the job's other nodes work on this runtime. Requires that its event floor has started with
  /// job::node().
  void serve(base::runtime_context& runtime);

  bool reaches(event e) const noexcept override;
  known_state query(event e) override;
  void express_interest(event e) override;
  bool subscribe(event e, waiter& w, base::thread_context& context) override;
  void forward_end(event e, failure_ref cause, base::thread_context& context,
                   const std::source_location& where) override;

  void lost(rank node, base::thread_context& context) noexcept override;
  /// For hang reports: adds what waits here for events of other nodes.
  void add_wait_edges(base::wait_walk& walk) const;

  /// The number of remote slots that this node keeps records of.
  std::size_t records() const;

 private:
  /// A generation that this node has subscribed to and not been notified of.
  struct pending_query {
    std::uint32_t generation;
    waiter* waiters = nullptr;
  };
  struct record {
    std::uint32_t ended_below = 1;
    std::vector<events_ended::poison> poisons;  // below ended_below
    std::vector<std::uint32_t> inferred;        // triggered from here, not below ended_below
    std::vector<pending_query> queries;         // not below ended_below, nor inferred
    failure_ref lost;                           // set if the owner is lost: pending generations never end
  };
  struct shard {
    mutable base::spin_lock lock;
    std::unordered_map<std::uint64_t, record> records;  // by node and slot of the handle
  };
  /// On the owner: a generation that another node waits for.
  struct subscription;

  static constexpr unsigned shard_bits = 6;
  shard& shard_of(std::uint64_t key) noexcept { return shards_[key * 0x9e3779b97f4a7c15u >> (64 - shard_bits)]; }

  static bool is_known(const record& r, std::uint32_t generation) noexcept;
  /// With the lock held: adds `w`, if any, and returns true if the owner has not been queried about the generation yet.
  bool add_query(record& r, std::uint32_t generation, waiter* w);
  /// Without the lock.
  void send_query(event e, std::uint32_t known);
  record& at(shard& s, event e, rank owner);
  /// With the lock held: moves the waiters of generations that have ended to `ended`, each list with its failure.
  static void extract_ended(record& r, std::vector<std::pair<waiter*, failure_ref>>& ended);
  static const failure* cause_in(const record& r, std::uint32_t generation) noexcept;

  // On the owner.
  void send_ended(rank to, std::uint32_t slot, std::uint32_t known);
  void on_subscribe(rank from, const event_subscription& m, base::thread_context& context);
  void on_end(rank from, const event_end& m, base::thread_context& context);
  // On the subscriber.
  void on_ended(rank from, const events_ended& m, base::thread_context& context);
  void on_refused(rank from, const event_end_refused& m, base::thread_context& context);

  job& job_;
  detail::event_table* table_ = nullptr;
  std::array<shard, 1u << shard_bits> shards_;
  /// While an `end` message is handled whose sender has inferred the result: its rank, slot and generation; else 0.
  std::atomic<std::uint64_t> knows_{0};
};

}  // namespace stretto::dist
