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
struct letter_list {
  letter* first = nullptr;
  letter* last = nullptr;

  bool is_empty() const noexcept { return !first; }
  void push(letter& l) noexcept {
    l.next = nullptr;
    (first ? last->next : first) = &l;
    last = &l;
  }
  letter* pop() noexcept {
    letter* const l = first;
    if (l) first = l->next;
    return l;
  }
};

/// What an object knows of one node that sends to it.
struct correspondent {
  std::uint64_t next = 0;                // the number of the letter that it takes now
  std::map<std::uint64_t, letter*> held; // that came before it; null: it has been given up, and is not waited for
  struct stay {
    std::uint64_t end;  // letters below, not of the stays before, were handled
    rank on;            // there
  };
  std::vector<stay> stays;               // on nodes that it has left; those that are answered are forgotten
  std::map<std::uint64_t, failure_ref> refused;  // letters that it skipped as a node had no room for them, until they are answered

  /// Where that letter was handled before the object came here; nobody: not before.
  rank handled_on(std::uint64_t number) const noexcept;
  void forget_below(std::uint64_t answered) noexcept;
  /// Far ones, that nobody will answer.
  void drop_held() noexcept;
};

enum class acceptance : std::uint8_t { accepted, early, again };

class resident : public detail::mobile_here {
 public:
  resident(object_id id, const detail::mobile_type* type, std::string name, std::uint32_t epoch, rank self)
      : id(id), type(type), name(std::move(name)), epoch(epoch), self_(self) {}
  resident(const resident&) = delete;

  const object_id id;
  const detail::mobile_type* const type;  // null: it is not made yet, and nobody knows of what
  const std::string name;
  std::uint32_t epoch;  // of its moves; 1 where it was made

  /// The letters of this node, and of any.
  correspondent& own() noexcept { return own_; }
  correspondent& of(rank sender) { return sender == self_ ? own_ : others_[sender]; }
  std::map<rank, correspondent>& others() noexcept { return others_; }

  /// Again: it was accepted, or is held, before; the letter stays the caller's.
  acceptance accept(correspondent& by, letter& l);
  /// That letter will not come. False if it has, or is known not to.
  bool skip(correspondent& by, std::uint64_t number);
  /// Takes those that may begin now out of the queue; they have the object until left().
  void begin(letter_list& to) noexcept;
  /// The same for one letter that has just come, where nothing waits.
  bool begin_at_once(const letter& l) noexcept {
    if (!waiting_.is_empty() || is_leaving || is_held || !has_room(reads(l))) return false;
    take(reads(l));
    return true;
  }
  void left(bool has_read) noexcept { has_read ? void(--readers_) : void(is_written_ = false); }
  /// It is being made, or ended: nobody else has it.
  void take_alone() noexcept { is_written_ = true; }

  /// Nobody has it.
  bool is_free() const noexcept { return !readers_ && !is_written_; }
  letter_list& waiting() noexcept { return waiting_; }
  std::deque<letter*>& moves() noexcept { return moves_; }
  bool has_move(rank sender, std::uint64_t request) const noexcept;

  bool is_held = false;     // nothing begins, and it does not move, but as far as it is let through
  bool may_move_held = false;
  std::uint32_t let_through = 0;  // so many that wait

  bool is_leaving = false;  // its home has been asked to let it go
  bool may_leave = false;   // and has agreed
  bool is_packed = false;   // and somebody is at it
  bool is_recalled = false; // its home has lost where it goes to
  rank goes_to = 0;
  failure_ref why_stays = {};  // although its home has agreed

  object_load load;

  /// From now on its handlers are measured.
  void measure();
  const detail::device_time& on_devices() const noexcept { return on_devices_; }
  /// What devices have computed for it since the last call is in `load` afterwards.
  void count_devices() noexcept;

  /// Of one that has come, and is not to be: its letters are as if they had not.
  void drop_letters() noexcept;

  /// Before it leaves: what has been handled here is noted for each sender.
  void note_stay();

 private:
  bool has_room(bool for_reader) const noexcept { return !is_written_ && (for_reader || !readers_); }
  void take(bool for_reader) noexcept { for_reader ? void(++readers_) : void(is_written_ = true); }
  void enqueue(letter& l);
  void take_held(correspondent& by);

  const rank self_;
  std::uint32_t readers_ = 0;
  bool is_written_ = false;
  letter_list waiting_;
  std::deque<letter*> moves_;
  detail::device_time on_devices_;  // null until it is measured
  correspondent own_;
  std::map<rank, correspondent> others_;
};

/// One that was sent. It is kept until its parts have gone, which lie in it; and where it goes to may have no room, until it is there or
/// comes back.
struct sent_object {
  struct carried {
    char mark;  // 'm' a move, 'w' accepted, 'h' held
    std::shared_ptr<const far_letter> what;
  };
  explicit sent_object(std::unique_ptr<resident> o) noexcept : what(std::move(o)) {}
  sent_object(const sent_object&) = delete;
  ~sent_object() {
    if (what && what->object) what->type->destroy(what->object);
  }
  /// With its letters, all of which are far ones now.
  std::unique_ptr<resident> take_back();

  std::unique_ptr<resident> what;
  std::vector<carried> letters;
};

/// The sender of a letter that waits on node `self`.
inline rank sender_of(const letter& l, rank self) noexcept { return l.is_far ? static_cast<const far_letter&>(l).from : self; }

}  // namespace stretto::mobiles
