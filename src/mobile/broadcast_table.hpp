// broadcast_table.hpp - the broadcasts of this node that have not ended: which objects have replied, and the messages
// to the others, for a resend.
//
// A broadcast is one task, whose body names the objects and the arguments. It ends when all objects have replied.
// Objects that were local got messages as tasks of their own, and the broadcast waits for these tasks. The other
// objects have consecutive request numbers: a reply finds its broadcast by its number, from whichever node it comes,
// and each message can be made again for a resend.
//
// Threads     Any.
// Invariants  (1) Each object of a broadcast ends once: by its reply or by a node failure. (2) The body lives until all
//             have replied. The arguments and the finish scope live until all that the handlers spawned has ended, too.
#pragma once

#include <stretto/detail/multicast.hpp>

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

/// The request numbers of broadcasts have both of these bits set. Those of pending_replies never have: they are numbers
/// of a base::slot_map, whose low half, an index, is below bit 31.
inline constexpr std::uint64_t broadcast_request_bits = std::uint64_t{1} << 63 | std::uint64_t{1} << 31;
inline bool is_broadcast_request(std::uint64_t request) noexcept {
  return (request & broadcast_request_bits) == broadcast_request_bits;
}
/// Returns the first of `count` consecutive request numbers with both bits set, and sets `next` behind them.
std::uint64_t allocate_broadcast_requests(std::uint64_t& next, std::uint64_t count) noexcept;

class pending_broadcast : public std::enable_shared_from_this<pending_broadcast> {
 public:
  /// An object that was remote when the broadcast was sent. Protected by the lock of the table.
  struct element {
    /// A value, and the end of all that the handler spawned, may come in one reply, or in two in any order.
    enum phase : std::uint8_t { open, ended_without_value, has_value, ended };
    std::uint64_t index = 0;          // its distance to the first object
    std::uint64_t number : 48 = 0;    // sequence number of the message
    std::uint64_t state : 8 = ended;  // a phase
    rank by = no_rank;                // the node that replied with the value
    bool is_open() const noexcept { return state == open || state == ended_without_value; }
  };

  /// The caller's finish counts the task `r`. If there are elements, it also counts the work that their handlers spawn,
  /// as one task until scope_ended().
  pending_broadcast(sched::task_record& r, detail::broadcast_body& b, rank self);
  pending_broadcast(const pending_broadcast&) = delete;

  object_id object(const element& e) const noexcept { return id_after(header.first, e.index); }
  std::uint64_t request(const element& e) const noexcept { return header.first_request + position(e); }
  /// The message to one element.
  std::shared_ptr<const remote_message> message_to(const element& e) const;

  /// The changes that a reply to one element has made.
  struct reply_effect {
    bool is_first = false;       // the value has come, or the failure instead of it
    bool is_last = false;        // no element is missing any more
    failure_ref end_cause = {};  // of what the handler spawned
  };
  /// Requires the lock of the table. Moves `cause` away if it is the failure of spawned work.
  reply_effect record_reply(element& e, reply_stage what, rank by, failure_ref& cause);

  /// Ends the task after `ends` calls of element_ended(): one for each object, and a last one of the sender itself.
  void expect(std::uint64_t ends);
  /// An object has handled the message, or has failed to.
  void element_ended(std::uint64_t index, failure_ref cause);
  /// Sends a message to each local object; `local` has their indices. The end of each calls element_ended().
  void send_local(const std::vector<std::uint64_t>& local);
  /// All that the handlers spawned on other nodes has ended.
  void scope_ended(failure_ref cause, base::thread_context& context);

  /// For hang reports: if the waiter belongs to a broadcast, adds an edge from its record to the target.
  static bool add_wait_edge(const base::wait_walk::found_waiter& found, base::wait_walk& walk);

  broadcast_header header;  // the table sets the first request
  const std::string name;
  sched::task_record& record;    // until all have replied
  detail::broadcast_body& body;  // until all have replied
  sched::finish_scope* const scope;
  const detail::message_type* const type;  // of all messages
  detail::parcel arguments;
  dist::back_pressure::share memory;  // counts the arguments until all have replied
  // Protected by the lock of the table.
  std::vector<element> elements;
  std::map<std::uint64_t, failure_ref> end_causes = {};  // of ended_without_value elements, by index
  std::uint64_t ends_missing = 0;                        // elements that have not ended

 private:
  /// Waits for the message to a local object.
  struct local_waiter : waiter {
    pending_broadcast* all = nullptr;
    sched::task_record* record = nullptr;
    std::uint64_t index = 0;
    static void run(waiter& self, const failure* cause, base::thread_context& context) noexcept;
  };
  std::uint64_t position(const element& e) const noexcept { return static_cast<std::uint64_t>(&e - elements.data()); }
  /// Runs the task, which makes the result; or ends it, if it has no body, or skips it, if an object has failed.
  void end() noexcept;

  std::atomic<std::uint64_t> missing_{0};           // calls of element_ended()
  std::shared_ptr<pending_broadcast> until_ended_;  // itself
  std::unique_ptr<local_waiter[]> local_waiters_;
  base::spin_lock lock_;                           // guards the two members below
  failure_ref cause_;                              // the failure of the lowest index that has failed so far
  std::uint64_t cause_index_ = ~std::uint64_t{0};  // that index
};

class broadcast_table {
 public:
  /// Numbers the requests of its elements; from now on the open ones wait for replies.
  void add(const std::shared_ptr<pending_broadcast>& m);

  struct replied_message {
    object_id object;
    std::uint64_t number;
  };
  /// Processes a reply of node `by`. Returns the message if this was its first reply: it was handled, or never will be.
  std::optional<replied_message> complete(reply_stage what, std::uint64_t request, rank by, failure_ref cause,
                                          std::span<const std::byte> value, base::thread_context& context);
  /// Appends the messages that have no reply yet: those to object `to`, or to all objects (0).
  void add_unanswered(object_id to, std::vector<std::shared_ptr<const remote_message>>& found);
  /// Node `by` has failed: ends the elements whose value it has sent and whose end it will not report.
  void on_node_failed(rank by, const failure_ref& loss, base::thread_context& context);
  /// For hang reports: what waits for replies to node `self`.
  void add_wait_edges(rank self, base::wait_walk& walk);

 private:
  using map = std::map<std::uint64_t, std::shared_ptr<pending_broadcast>>;
  /// The broadcast to which that request belongs; end() if it has ended.
  map::iterator find(std::uint64_t request);

  base::spin_lock lock_;
  map all_;                                      // by first request
  std::uint64_t next_ = broadcast_request_bits;  // the next request number to be given
};

}  // namespace stretto::mobiles
