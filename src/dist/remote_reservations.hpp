// remote_reservations.hpp - reservations that migrate to the nodes that use them, with their payload.
//
// A reservation is on one node at a time, which grants it to its own acquires without a message. The node that made it,
// its home, queues the nodes that request it. A requester sends `want` to home. Home sends `recall` with the next owner
// to the last node in the queue. That node sends `state` (payload, ignored releases) directly to the next owner, once
// the reservation is free and `fairness` permits. So a grant to a node costs at most three messages, two if home is one
// of the nodes.
//
// Shared acquires of other nodes are granted where the reservation is, in the order of the local queue, and are counted
// there until they are released: a shared acquire is a forwarded operation whose reply carries the payload. When the
// reservation migrates, waiting shared acquires migrate with it and are granted on the next node before it leaves that
// one. A node requests the reservation itself only while it waits for no such reply, so that its acquires are granted
// in order.
//
// A reservation leaves a node only while it is free. A release, or a failed acquire, on a node that does not have the
// reservation is a forwarded operation. It is sent to where the node has passed the reservation on to, or to home, and
// follows the later passes from node to node. It is carried out where the reservation is, or waits where the
// reservation is about to arrive. Passes are numbered, and a forwarded operation carries the latest number that it has
// seen. So it follows passes in ascending order, never in a circle, and visits each node at most once. Its event ends
// when the reply arrives; so a task that observes a poisoned acquire runs after the failure has been recorded.
//
// A reservation is lost (N05) with its home, and with any node that has used it, because it may have been there or on
// its way. This loses more than necessary, but never hangs.
//
// Threads     any, once served; handlers run inside job::poll.
// Cost        on the node that has the reservation: as in a job of one node. Else a lock, a lookup and the messages
//             above. Memory: a record per reservation that this node uses, with its payload.
// Invariants  (1) `reservation_entry::is_here` on at most one node. (2) waiters are notified without lock_ held.
// Source      migrating reservations: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 3; the queue of passes as in
//             Naimi and Trehel's tree algorithm (1987), with its end known at one node, which keeps paths short.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/wait_snapshot.hpp"
#include "dist/job.hpp"
#include "dist/rank_set.hpp"
#include "dist/reservation_messages.hpp"
#include "event/remote_reservation.hpp"
#include "event/table_waiter.hpp"

namespace stretto::dist {

class remote_reservations final : public stretto::remote_reservations, public protocol {
 public:
  /// Must be made before job::start.
  explicit remote_reservations(job& j);
  /// From now on, handles of the job's other nodes work on this runtime.
  void serve(base::runtime_context& runtime);

  detail::reservation_state* find(detail::reservation_id id) override;
  void want(detail::reservation_id id, base::thread_context& context) override;
  void acquire_shared(detail::reservation_id id, detail::slot& s, base::thread_context& context) override;
  void release(detail::reservation_id id, const failure* cause, detail::slot& s, base::thread_context& context,
               const std::source_location& where) override;
  void skip_acquire(detail::reservation_id id, const failure& cause, detail::slot& s,
                    base::thread_context& context) override;
  void release_skipped(detail::reservation_id id, const failure& cause, detail::slot& s,
                       base::thread_context& context) override;
  void destroy(detail::reservation_id id, base::thread_context& context, const std::source_location& where) override;
  void destroyed(detail::reservation_id id, const failure_ref& why) override;

  void lost(rank node, base::thread_context& context) noexcept override;
  /// For hang reports: adds reservations of other nodes that are on this node.
  void add_wait_edges(base::wait_walk& walk) const;

  /// The largest number of hops of an operation that was carried out here.
  unsigned most_hops() const noexcept { return most_hops_.load(std::memory_order_relaxed); }
  /// How often reservations have migrated from this node to another.
  std::uint64_t passes() const noexcept { return passes_.load(std::memory_order_relaxed); }
  /// The number of reservations that this node keeps entries of.
  std::size_t records() const;

 private:
  using action = reservation_action;
  using forwarded_operation = reservation_operation;
  /// The state of one reservation on this node.
  struct reservation_entry {
    detail::reservation_state* held = nullptr;
    bool is_here = false;
    bool is_wanted = false;           // `want` was sent, and it has not arrived yet
    std::uint32_t pending_reads = 0;  // shared acquires of this node that wait for a reply
    std::uint32_t seen = 0;           // number of the pass by which it arrived last
    std::uint32_t passed = 0;         // number of the pass by which it left; 0: never
    rank passed_to = 0;
    std::vector<forwarded_operation> waiting{};  // wait for its arrival or loss
    // Only at home:
    rank last = 0;              // in the queue
    std::uint32_t version = 0;  // of the latest pass that home has arranged
    rank_set users{};
  };
  /// Ends when an operation that this node has forwarded was carried out.
  struct pending_operation {
    detail::reservation_id id;
    action what;
    detail::slot* s;
    failure_ref cause;
  };
  struct remote_reader;
  using waiting_reader = detail::table_waiter<remote_reader, detail::remote_acquire>;
  /// Work to be done after lock_ has been released.
  struct deferred_actions {
    detail::reservation_state::grant next;
    std::vector<std::pair<forwarded_operation, failure_ref>> done;
    std::vector<pending_operation> ended;
    failure_ref why;  // the failure of `ended`
    detail::reservation_state::waiting left{nullptr, nullptr};
    rank_set users;
  };

  rank home_of(detail::reservation_id id) const noexcept;
  // With the lock held.
  reservation_entry* known(detail::reservation_id id);
  bool execute(const forwarded_operation& e, reservation_entry& s, deferred_actions& after,
               base::thread_context& context);
  bool mark_wanted(reservation_entry& s) noexcept {
    return !s.is_here && !s.pending_reads && !std::exchange(s.is_wanted, true);
  }
  void end_all(detail::reservation_id id, reservation_entry& s, const failure_ref& why, deferred_actions& after);

  void send_want(detail::reservation_id id, base::thread_context& context);
  void run_deferred(const deferred_actions& after, base::thread_context& context);
  void start(forwarded_operation e, detail::slot& s, base::thread_context& context);
  void route(forwarded_operation e, base::thread_context& context);
  static std::vector<reservation_pass::reader> take_readers(detail::reservation_state& from,
                                                            base::thread_context& context);
  waiter* made_readers(const reservation_pass& m, base::thread_context& context);
  detail::remote_acquire& make_reader(const forwarded_operation& e, base::thread_context& context);
  /// Does not notify their nodes; they learn of the loss by another message.
  static void drop_readers(waiter* first, base::thread_context& context) noexcept;
  void send(rank to, const forwarded_operation& e);
  void enqueue_requester(rank who, detail::reservation_id id, base::thread_context& context);
  void recall(detail::reservation_id id, rank to, std::uint32_t version, base::thread_context& context);
  void pass_on(detail::reservation_id id, rank to, std::uint32_t version, base::thread_context& context);
  static std::vector<std::byte> payload_of(detail::reservation_state& of);
  void keep_payload(call_number request, std::span<const std::byte> payload);
  void complete_operation(const forwarded_operation& e, const failure_ref& failed, base::thread_context& context);
  void finish(const pending_operation& p, const failure_ref& failed, base::thread_context& context);
  void fail_reservation(detail::reservation_id id, const failure_ref& why, base::thread_context& context);
  void send_gone(const rank_set& to, detail::reservation_id id, bool is_lost, const failure_ref& why);
  void forget_destroyed(detail::reservation_id id, const failure_ref& why, base::thread_context& context);

  void on_want(rank from, const reservation_want& m, base::thread_context& context);
  void on_recall(rank from, const reservation_recall& m, base::thread_context& context);
  void on_pass(rank from, const reservation_pass& m, base::thread_context& context);
  void on_operation(rank from, const reservation_operation& m, base::thread_context& context);
  void on_done(rank from, const reservation_done& m, base::thread_context& context);
  void on_gone(rank from, const reservation_gone& m, base::thread_context& context);
  void on_destroy(rank from, const reservation_destruction& m, base::thread_context& context);
  void on_refused(rank from, const reservation_refused& m, base::thread_context& context);
  void on_cut(rank from, const reservation_cut& m, base::thread_context& context);

  job& job_;
  detail::event_table* table_ = nullptr;
  std::atomic<unsigned> most_hops_{0};
  std::atomic<std::uint64_t> passes_{0};

  remote_calls<pending_operation> pending_operations_;

  mutable std::mutex lock_;
  std::unordered_map<detail::reservation_id, reservation_entry> entries_;
  std::deque<detail::reservation_state>
      made_;  // local state of remote reservations; never destroyed, as stale handles may read it
  std::vector<detail::reservation_state*> free_;
};

}  // namespace stretto::dist
