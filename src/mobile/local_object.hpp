// local_object.hpp - an object that is here: who has it, who waits for it, and the order of those who send to it.
//
// Letters of one node are accepted in the order of their numbers; what comes early is held. Accepted ones wait in one queue: those that
// read begin together, any other one alone, none before what was accepted earlier. Migrations go before them all. While the object is
// about to leave, nothing begins; nor while the job is held for a checkpoint, but what is let through.
//
// Threads     none of its own: whoever has locked the object's place in the table. The object itself: its handlers.
// Invariants  (1) a letter is accepted once. (2) at a moment when nothing is under way, those of one node that have begun have the
//             lowest numbers, but for migrations.
// Source      sequence numbers per sender: TCP; kept with the object, as it moves.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mobile/messages.hpp"
#include "mobile/object_load.hpp"

namespace stretto::mobiles {

/// Letters in a row, linked by themselves.
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

/// What an object knows of one node that sends to it.
struct sender_state {
  std::uint64_t next = 0;                // the number of the letter that it takes now
  std::map<std::uint64_t, message*> out_of_order; // that came before it; null: it has been given up, and is not waited for
  struct residence {
    std::uint64_t end;  // letters below, not of the stays before, were handled
    rank on;            // there
  };
  std::vector<residence> residences;               // on nodes that it has left; those that are answered are forgotten
  std::map<std::uint64_t, failure_ref> refused;  // letters that it skipped as a node had no room for them, until they are answered

  /// Where that letter was handled before the object came here; nobody: not before.
  rank handled_on(std::uint64_t number) const noexcept;
  void forget_below(std::uint64_t answered) noexcept;
  /// Far ones, that nobody will answer.
  void drop_out_of_order() noexcept;
};

enum class acceptance : std::uint8_t { accepted, early, duplicate };

class local_object : public detail::local_object_base {
 public:
  local_object(object_id id, const detail::mobile_type* type, std::string name, std::uint32_t epoch, rank self)
      : id(id), type(type), name(std::move(name)), epoch(epoch), self_(self) {}
  local_object(const local_object&) = delete;

  const object_id id;
  const detail::mobile_type* const type;  // null: it is not made yet, and nobody knows of what
  const std::string name;
  std::uint32_t epoch;  // of its moves; 1 where it was made

  /// The letters of this node, and of any.
  sender_state& local_sender() noexcept { return local_sender_; }
  sender_state& sender(rank r) { return r == self_ ? local_sender_ : remote_senders_[r]; }
  std::map<rank, sender_state>& remote_senders() noexcept { return remote_senders_; }

  /// Again: it was accepted, or is held, before; the letter stays the caller's.
  acceptance accept(sender_state& sender, message& msg);
  /// That letter will not come. False if it has, or is known not to.
  bool skip(sender_state& sender, std::uint64_t number);
  /// Takes those that may begin now out of the queue; they have the object until left().
  void begin_ready(message_list& to) noexcept;
  /// The same for one letter that has just come, where nothing waits.
  bool try_begin(const message& msg) noexcept {
    if (!waiting_.is_empty() || is_leaving || is_paused || !can_acquire(reads(msg))) return false;
    acquire(reads(msg));
    return true;
  }
  void release(bool has_read) noexcept { has_read ? void(--readers_) : void(has_writer_ = false); }
  /// It is being made, or ended: nobody else has it.
  void acquire_exclusively() noexcept { has_writer_ = true; }

  /// Nobody has it.
  bool is_free() const noexcept { return !readers_ && !has_writer_; }
  message_list& waiting() noexcept { return waiting_; }
  std::deque<message*>& pending_migrations() noexcept { return pending_migrations_; }
  bool has_pending_migration(rank sender, std::uint64_t request) const noexcept;

  bool is_paused = false;     // nothing begins, and it does not move, but as far as it is let through
  bool may_migrate_while_paused = false;
  std::uint32_t released_messages = 0;  // so many that wait

  bool is_leaving = false;  // its home has been asked to let it go
  bool is_migration_granted = false;   // and has agreed
  bool is_packing = false;   // and somebody is at it
  bool is_recalled = false; // its home has lost where it goes to
  rank destination = 0;
  failure_ref cancellation_cause = {};  // although its home has agreed

  object_load load;

  /// From now on its handlers are measured.
  void measure();
  const detail::device_time& on_devices() const noexcept { return on_devices_; }
  /// What devices have computed for it since the last call is in `load` afterwards.
  void count_devices() noexcept;

  /// Of one that has come, and is not to be: its letters are as if they had not.
  void drop_letters() noexcept;

  /// Before it leaves: what has been handled here is noted for each sender.
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

/// One that was sent. It is kept until its parts have gone, which lie in it; and where it goes to may have no room, until it is there or
/// comes back.
struct departed_object {
  struct carried_message {
    char mark;  // 'm' a move, 'w' accepted, 'h' held
    std::shared_ptr<const remote_message> what;
  };
  explicit departed_object(std::unique_ptr<local_object> o) noexcept : what(std::move(o)) {}
  departed_object(const departed_object&) = delete;
  ~departed_object() {
    if (what && what->object) what->type->destroy(what->object);
  }
  /// With its letters, all of which are far ones now.
  std::unique_ptr<local_object> take_back();

  std::unique_ptr<local_object> what;
  std::vector<carried_message> messages;
};

/// The sender of a letter that waits on node `self`.
inline rank sender_of(const message& msg, rank self) noexcept {
  return msg.is_remote ? static_cast<const remote_message&>(msg).from : self;
}

}  // namespace stretto::mobiles
