// remote_events.hpp - events of other nodes: subscribed to once, notified once, inferred where that is sound.
//
// A node remembers which generations of a remote slot have ended, and how (known_ends.hpp). The first wait or query for
// a generation that may be pending subscribes at the owner, which notifies the node: at once if the generation has
// ended, else when it ends. The handle of a later generation proves that an earlier one has ended, but not how; until
// the notification arrives, the earlier one counts as pending.
//
// A node that triggers a remote event sends `end` to the owner and infers that the event has ended; the message says
// so, and the owner does not notify that node. Only the owner reports poison and double triggering. The node whose
// trigger came second gets E01 with its source line, as an unobserved failure; it has inferred a success and keeps it.
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
#include "dist/known_ends.hpp"
#include "event/remote_owner.hpp"

namespace stretto::detail {
class event_table;
}

namespace stretto::dist {

class remote_events final : public remote_owner, public protocol {
 public:
  /// Must be made before job::start.
  explicit remote_events(job& j);
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
  using slot_ends = known_ends<std::uint32_t, waiter*>;
  struct shard {
    mutable base::spin_lock lock;
    std::unordered_map<std::uint64_t, slot_ends> records;  // by node and slot of the handle
  };

  static constexpr unsigned shard_bits = 6;
  shard& shard_of(std::uint64_t key) noexcept { return shards_[key * 0x9e3779b97f4a7c15u >> (64 - shard_bits)]; }

  slot_ends& at(shard& s, event e, rank owner);
  static void end_all(const std::vector<slot_ends::ended>& all, base::thread_context& context);

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
