// remote_reservations.hpp - reservations that go to the nodes which use them, with their payload.
//
// A reservation is on one node at a time, which grants it among its own acquires without a message. Where it was made, its home,
// puts the nodes that want it in line: who wants it tells home (want), home tells the last in line whom it is to go to (recall),
// and when nobody holds it and `fairness` says so, it goes there directly (state), with its payload and the releases to be
// ignored. So a node is granted it for at most three messages, two where home is one of them.
//
// Readers of other nodes are granted it where it is, among those that wait there, and are counted there until their
// releases come: a shared acquire is an errand whose answer brings the payload. Where the reservation leaves, those
// that wait go along, and are served on the next node before it leaves that. A node asks for the reservation itself
// only when it waits for no such answer, so that its acquires are granted in their order.
//
// It leaves only while nobody holds it. A release, or an acquire that came to nothing, on a node that does not have it is an
// errand: it goes where the node has passed it on to, or to home, and from node to node as each has passed it on later; it is
// carried out where the reservation is, or waits where it is about to arrive. Each pass has a number, which an errand knows of
// the last node that it has seen: it goes from earlier to later passes, never in a circle, at most once over each node. What was
// to end with it ends when the answer comes, so that whoever learns of a poisoned acquire comes after its mark.
//
// A reservation is lost (N05) with its home, and with any node that has used it: it may have been there, or on its way. That is
// more than need be, and never hangs.
//
// Threads     any, once served; handlers run inside job::poll.
// Cost        where it is: as without other nodes. Else a lock, a look-up and the messages above. Memory: a record per
//             reservation that this node uses, with its payload.
// Invariants  (1) `stand::is_here` on at most one node. (2) what is behind lock_ is not told to waiters while it is held.
// Source      migrating reservations: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 3; passes in a line that grows at its
//             end as in Naimi and Trehel's tree algorithm (1987), with the end known at one node, which keeps paths short.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/wait_snapshot.hpp"
#include "dist/failures.hpp"
#include "dist/job.hpp"
#include "event/remote_reservation.hpp"

namespace stretto::dist {

class remote_reservations final : public stretto::remote_reservations, public protocol {
 public:
  /// Before job::start.
  remote_reservations(job& j, failures& causes);
  ~remote_reservations() override;
  /// Handles of the job's other nodes work on this runtime from now on.
  void serve(base::runtime_context& runtime);

  detail::reservation_state* find(std::uint64_t id) override;
  void want(std::uint64_t id, base::thread_context& context) override;
  void acquire_shared(std::uint64_t id, detail::slot& s, base::thread_context& context) override;
  void release(std::uint64_t id, const failure* cause, detail::slot& s, base::thread_context& context,
               const std::source_location& where) override;
  void skip_acquire(std::uint64_t id, const failure& cause, detail::slot& s, base::thread_context& context) override;
  void release_skipped(std::uint64_t id, const failure& cause, detail::slot& s, base::thread_context& context) override;
  void destroy(std::uint64_t id, base::thread_context& context, const std::source_location& where) override;
  void destroyed(std::uint64_t id, const failure_ref& why) override;

  void lost(rank node, base::thread_context& context) noexcept override;
  /// For reports: reservations of other nodes that are held here.
  void tell_waits(base::wait_walk& walk) const;

  /// The most nodes that an errand carried out here had come over.
  unsigned most_hops() const noexcept { return most_hops_.load(std::memory_order_relaxed); }
  /// How often reservations have left this node for another.
  std::uint64_t passes() const noexcept { return passes_.load(std::memory_order_relaxed); }
  /// Reservations of which something is kept.
  std::size_t records() const;

 private:
  enum class action : std::uint8_t { release, skip_acquire, release_skipped, acquire_shared };
  /// What is to happen where the reservation is.
  struct errand {
    std::uint64_t id;
    action what;
    rank origin;
    std::uint64_t token;       // of what ends with it, at its origin
    std::uint32_t version;     // of the latest pass that it has heard of
    std::uint32_t hops;
    std::source_location where;
    failure_ref cause;
  };
  /// One reservation, as this node knows it.
  struct stand {
    detail::reservation_state* held = nullptr;
    bool is_here = false;
    bool is_wanted = false;     // home was told, and it has not come yet
    std::uint32_t reads_asked = 0;  // shared acquires of this node that wait for an answer
    std::uint32_t seen = 0;     // the pass by which it came last
    std::uint32_t passed = 0;   // and by which it left; 0: never
    rank passed_to = 0;
    std::vector<errand> waiting{};  // for it to come, or to be gone
    // At home:
    rank last = 0;              // in line
    std::uint32_t version = 0;  // of the latest pass that was arranged
    std::vector<bool> users{};  // by rank
  };
  /// What ends when an errand of this node has been run.
  struct pending {
    std::uint64_t id;
    action what;
    detail::slot* s;
    failure_ref cause;
  };
  /// A recall that waits until the reservation can go.
  struct passing;
  /// A shared acquire of another node that waits here.
  struct reading;
  /// What is to be done once the lock is given back.
  struct aftermath {
    detail::reservation_state::grant next;
    std::vector<std::pair<errand, failure_ref>> done;
    std::vector<pending> ended;
    failure_ref why;  // of what has ended
    detail::reservation_state::waiting left{nullptr, nullptr};
    std::vector<rank> users;
  };

  rank home_of(std::uint64_t id) const noexcept;
  // With the lock held.
  stand* known(std::uint64_t id);
  bool run(const errand& e, stand& s, aftermath& after, base::thread_context& context);
  bool becomes_wanted(stand& s) noexcept { return !s.is_here && !s.reads_asked && !std::exchange(s.is_wanted, true); }
  void end_all(std::uint64_t id, stand& s, const failure_ref& why, aftermath& after);

  void tell_wanted(std::uint64_t id, base::thread_context& context);
  void answer(const aftermath& after, base::thread_context& context);
  void start(errand e, detail::slot& s, base::thread_context& context);
  void route(errand e, base::thread_context& context);
  void put_readers(writer& to, detail::reservation_state& from, base::thread_context& context);
  waiter* get_readers(reader& from, std::uint64_t id, rank sender, base::thread_context& context);
  /// Their nodes are told by themselves.
  static void drop_readers(waiter* first, base::thread_context& context) noexcept;
  void send(rank to, const errand& e);
  void want_of(rank who, std::uint64_t id, base::thread_context& context);
  void recall(std::uint64_t id, rank to, std::uint32_t version, base::thread_context& context);
  void pass_on(std::uint64_t id, rank to, std::uint32_t version, base::thread_context& context);
  void keep_payload(std::uint64_t token, std::span<const std::byte> payload);
  void is_done(const errand& e, const failure_ref& failed, base::thread_context& context);
  void end(const pending& p, const failure_ref& failed, base::thread_context& context);
  void kill(std::uint64_t id, const failure_ref& why, base::thread_context& context);
  void tell_gone(rank to, std::uint64_t id, bool for_good, const failure_ref& why);

  void on_want(rank from, reader& content, base::thread_context& context);
  void on_recall(rank from, reader& content, base::thread_context& context);
  void on_state(rank from, reader& content, base::thread_context& context);
  void on_errand(rank from, reader& content, base::thread_context& context);
  void on_done(rank from, reader& content, base::thread_context& context);
  void on_gone(rank from, reader& content, base::thread_context& context);
  void on_destroy(rank from, reader& content, base::thread_context& context);
  void on_refused(rank from, reader& content, base::thread_context& context);
  void on_cut(rank from, reader& content, base::thread_context& context);

  job& job_;
  failures& causes_;
  detail::event_table* table_ = nullptr;
  message_kind want_, recall_, state_, errand_, done_, gone_, destroy_, refused_, cut_;
  std::atomic<unsigned> most_hops_{0};
  std::atomic<std::uint64_t> passes_{0};

  mutable std::mutex lock_;
  std::unordered_map<std::uint64_t, stand> stands_;
  std::unordered_map<std::uint64_t, pending> pending_;  // by token
  std::uint64_t tokens_ = 0;
  std::deque<detail::reservation_state> made_;  // of stand-ins: they stay holdings, as handles that outlive theirs may look
  std::vector<detail::reservation_state*> free_;
};

}  // namespace stretto::dist
