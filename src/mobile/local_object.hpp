// local_object.hpp - an object on this node: its handlers, its queue, and the sequence numbers of its senders.
//
// The object accepts the messages of one node in the order of their sequence numbers and keeps early ones aside.
// Accepted messages wait in one queue: readers run together, a writer runs alone, and none begins before an earlier
// one. Migrations overtake the queue. Nothing begins while the object is leaving, and while the job is paused for a
// checkpoint only released messages begin.
//
// Threads     None of its own: the thread that has locked the object's shard. The object itself: its handlers.
// Invariants  (1) A message is accepted once. (2) Between two operations the begun messages of a node have the lowest
//             numbers, except for migrations.
// Source      Sequence numbers per sender: TCP. Ours are part of the object, because it moves.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mobile/messages.hpp"
#include "mobile/object_load.hpp"

namespace stretto::mobiles {

/// Messages linked by their own pointers.
struct message_list {
  message* first = nullptr;
  message* last = nullptr;

  bool is_empty() const noexcept { return !first; }
  void push(message& msg) noexcept {
    msg.next = nullptr;
    (first ? last->next : first) = &msg;
    last = &msg;
  }
  message* pop() noexcept {
    message* const msg = first;
    if (msg) first = msg->next;
    return msg;
  }
};

/// The state that an object keeps for one sending node.
struct sender_state {
  std::uint64_t next = 0;                          // sequence number that the object accepts next
  std::map<std::uint64_t, message*> out_of_order;  // early messages; null: given up, is skipped
  struct residence {
    std::uint64_t end = 0;    // messages with lower numbers, from the end of the residence before, were handled
    dist::node_rank on = {};  // on this node
  };
  std::vector<residence> residences;  // on nodes that the object has left; answered ones are removed
  /// messages that were skipped for lack of memory, until they have a reply
  std::map<std::uint64_t, failure_ref> refused;

  /// The node that handled the message before the object came here; no_rank: none.
  rank handled_on(std::uint64_t number) const noexcept;
  void forget_below(std::uint64_t answered) noexcept;
  /// Deletes remote messages that nobody will answer.
  void drop_out_of_order() noexcept;
};

/// Where a message waits in its object. An accepted one is in the common queue.
enum class message_queue : std::uint8_t { migrations, accepted, out_of_order };

enum class acceptance : std::uint8_t { accepted, early, duplicate };

class local_object : public detail::local_object_base {
 public:
  local_object(object_id id, const detail::mobile_type* type, std::string name, migration_epoch epoch, rank self)
      : id(id), type(type), name(std::move(name)), epoch(epoch), self_(self) {}
  local_object(const local_object&) = delete;

  const object_id id;
  const detail::mobile_type* const type;  // null: not constructed, type unknown
  const std::string name;
  migration_epoch epoch;  // counts migrations; 1 where the object was made

  /// The state of this node as a sender, and of any sender.
  sender_state& local_sender() noexcept { return local_sender_; }
  sender_state& sender(rank r) { return r == self_ ? local_sender_ : remote_senders_[r]; }
  std::map<rank, sender_state>& remote_senders() noexcept { return remote_senders_; }

  /// Duplicate: it was accepted or kept aside before; the caller still owns the message.
  acceptance accept(sender_state& sender, message& msg);
  /// That message will not come. False if it has come, or is already skipped.
  bool skip(sender_state& sender, std::uint64_t number);
  /// Moves the messages that may begin now out of the queue; each occupies the object until release().
  void begin_ready(message_list& to) noexcept;
  /// The same for one message that has just arrived, if the queue is empty.
  bool try_begin(const message& msg) noexcept {
    if (!waiting_.is_empty() || is_leaving || is_paused || !can_acquire(reads(msg))) return false;
    acquire(reads(msg));
    return true;
  }
  void release(bool has_read) noexcept { has_read ? void(--readers_) : void(has_writer_ = false); }
  /// While the object is constructed or destroyed.
  void acquire_exclusively() noexcept { has_writer_ = true; }

  /// No handler uses the object.
  bool is_free() const noexcept { return !readers_ && !has_writer_; }
  message_list& waiting() noexcept { return waiting_; }
  std::deque<message*>& pending_migrations() noexcept { return pending_migrations_; }
  bool has_pending_migration(rank sender, std::uint64_t request) const noexcept;

  bool is_paused = false;  // nothing begins and it does not migrate, except released messages
  bool may_migrate_while_paused = false;
  std::uint32_t released_messages = 0;  // number of messages, from the front of the queue, that may begin

  bool is_leaving = false;            // the home node has been asked for a migration
  bool is_migration_granted = false;  // by the home node
  bool is_packing = false;            // and a thread writes it
  bool is_recalled = false;           // the home node has lost the destination
  rank destination = 0;
  failure_ref cancellation_cause = {};  // why a granted migration failed

  object_load load;

  /// Measures its handlers from now on.
  void measure();
  const detail::device_time& on_devices() const noexcept { return on_devices_; }
  /// Adds the device time of its kernels since the last call to `load`.
  void count_devices() noexcept;

  /// A message that has waited there on another node, or before the object left.
  void put_back(message_queue queue, std::unique_ptr<remote_message> msg);
  /// Deletes the messages of an object that arrived and is not installed.
  void drop_messages() noexcept;

  /// Before it leaves: records for each sender what was handled here.
  void record_residence();

 private:
  bool can_acquire(bool for_reader) const noexcept { return !has_writer_ && (for_reader || !readers_); }
  void acquire(bool for_reader) noexcept { for_reader ? void(++readers_) : void(has_writer_ = true); }
  void enqueue(message& msg);
  void accept_in_sequence(sender_state& sender);

  const rank self_;
  std::uint32_t readers_ = 0;
  bool has_writer_ = false;
  message_list waiting_;
  std::deque<message*> pending_migrations_;
  detail::device_time on_devices_;  // null until it is measured
  sender_state local_sender_;
  std::map<rank, sender_state> remote_senders_;
};

/// An object that was sent. Kept until its parts have been transferred, which point into it, and until the destination
/// has accepted or rejected it.
struct departed_object {
  struct carried_message {
    message_queue queue;
    std::shared_ptr<const remote_message> what;
  };
  explicit departed_object(std::unique_ptr<local_object> o) noexcept : what(std::move(o)) {}
  departed_object(const departed_object&) = delete;
  ~departed_object() {
    if (what && what->object) what->type->destroy(what->object);
  }
  /// Returns the object with its messages, all of which are remote ones now.
  std::unique_ptr<local_object> take_back();

  std::unique_ptr<local_object> what;
  std::vector<carried_message> messages;
};

/// The sender of a message that waits on node `self`.
inline rank sender_of(const message& msg, rank self) noexcept {
  return msg.is_remote ? static_cast<const remote_message&>(msg).from : self;
}

}  // namespace stretto::mobiles
