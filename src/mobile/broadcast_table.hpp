// broadcast_table.hpp - what this node has sent to many objects at once: who has answered, and the letters of those who have not, to be sent again.
//
// A multicast is one task, whose body says what is sent. It ends when all objects have answered; those that were here are tasks of their own,
// whose ends it waits for. The others have requests in a row, so that an answer, from wherever, finds its multicast by its number; and each can
// be made a letter of its own again.
//
// Threads     any.
// Invariants  (1) each object of a multicast ends once: by its answer, or by a loss. (2) the body lives until all have answered; arguments, and
//             the scope that counts, until all that was spawned has ended too.
#pragma once

#include <stretto/multicast.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "base/wait_snapshot.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/pending_replies.hpp"

namespace stretto::mobiles {

/// Whether a request is one of those below, not of `requests`: these count up from 1, or are a slot's index below a generation; both bits
/// are set in none of them.
inline constexpr std::uint64_t broadcast_request_bits = std::uint64_t{1} << 63 | std::uint64_t{1} << 31;
inline bool is_broadcast_request(std::uint64_t request) noexcept {
  return (request & broadcast_request_bits) == broadcast_request_bits;
}
/// So many numbers in a row, all of them of_many; `next` is behind them then.
std::uint64_t allocate_broadcast_requests(std::uint64_t& next, std::uint64_t count) noexcept;

/// What its letters have in common is as it was made, but for the first request, which is the table's.
class pending_broadcast : public std::enable_shared_from_this<pending_broadcast>, public broadcast_header {
 public:
  /// Of an object that was elsewhere. Behind the lock of the table.
  struct element {
    enum phase : std::uint8_t { open, ended_without_value, has_value, ended };
    std::uint64_t index = 0;
    std::uint64_t number : 48 = 0;
    std::uint64_t state : 8 = ended;
    rank by = no_rank;  // who gave the value
    bool is_open() const noexcept { return state == open || state == ended_without_value; }
  };

  /// Its record is counted in the caller's finish, once more if there are elements.
  pending_broadcast(sched::task_record& r, detail::broadcast_body& b, rank self);
  pending_broadcast(const pending_broadcast&) = delete;

  object_id object(const element& e) const noexcept { return first + e.index; }
  std::uint64_t request(const element& e) const noexcept { return first_request + position(e); }
  /// One of them, by itself.
  std::shared_ptr<const remote_message> message_to(const element& e) const;

  /// Ends the task once that many have ended, each of them well or not.
  void expect(std::uint64_t ends);
  void element_ended(std::uint64_t index, failure_ref cause);
  /// The letters of objects that are here end it, too. `near`: which they are; what was said by expect() has them.
  void send_local(const std::vector<std::uint64_t>& local);
  /// All that this letter has spawned.
  void scope_ended(failure_ref cause, base::thread_context& context);

  /// For reports: whether a waiter that was found is of a multicast, whose record waits for the target then.
  static bool add_wait_edge(const base::wait_walk::found_waiter& found, base::wait_walk& walk);

  sched::task_record& record;  // until all have answered
  detail::broadcast_body& body;     // the same
  sched::finish_scope* const scope;
  const detail::message_type* const type;  // of all letters
  detail::parcel arguments;
  dist::back_pressure::share memory;
  // Of the table.
  std::vector<element> elements;
  std::map<std::uint64_t, failure_ref> end_causes = {};  // of those that are open but over, by index
  std::uint64_t ends_missing = 0;

 private:
  struct local_waiter : waiter {
    pending_broadcast* all = nullptr;
    sched::task_record* record = nullptr;
    std::uint64_t index = 0;
    static void run(waiter& self, const failure* cause, base::thread_context& context) noexcept;
  };
  std::uint64_t position(const element& e) const noexcept { return static_cast<std::uint64_t>(&e - elements.data()); }
  void end() noexcept;

  std::atomic<std::uint64_t> missing_{0};
  std::shared_ptr<pending_broadcast> until_ended_;
  std::unique_ptr<local_waiter[]> local_waiters_;
  base::spin_lock lock_;
  failure_ref cause_;  // of the lowest index so far
  std::uint64_t cause_index_ = ~std::uint64_t{0};
};

class broadcast_table {
 public:
  /// Its elements that are open wait from now on.
  void add(const std::shared_ptr<pending_broadcast>& m);

  struct replied_message {
    object_id object;
    std::uint64_t number;
  };
  /// An answer of node `by`. Returns what it answers, if it was the first: that has been handled, or never will be.
  std::optional<replied_message> complete(reply_kind what, std::uint64_t request, rank by, failure_ref cause,
                                          std::span<const std::byte> value, base::thread_context& context);
  /// Adds letters that have no answer yet, to that object, or to all (0).
  void add_unanswered(object_id to, std::vector<std::shared_ptr<const remote_message>>& found);
  /// Node `by` is lost, and will not say that what it was asked for has ended.
  void on_node_failed(rank by, const failure_ref& loss, base::thread_context& context);
  /// For reports.
  void add_wait_edges(rank self, base::wait_walk& walk);

 private:
  using map = std::map<std::uint64_t, std::shared_ptr<pending_broadcast>>;
  map::iterator find(std::uint64_t request);

  base::spin_lock lock_;
  map all_;  // by the first request
  std::uint64_t next_ = broadcast_request_bits;
};

}  // namespace stretto::mobiles
