// mobile_objects.hpp - the objects of a job, as one node sees them: those that are here, where others were heard of, and for those that were
// made here, where they are.
//
// The node that made an object is its home and knows where it is: an object asks its home before it leaves. Others go by what they have
// heard. Whoever gets a letter for an object that is not here passes it on to where it went, and tells the sender; the third in a row asks
// the home, which lets the object go nowhere until the letter has come. A letter may come before its object, and waits there.
//
// Losses      an object is lost with the node where it is, or that it is on its way to or from. When a node is lost, every other
//             sends all that is not answered once more, by way of the homes: the object knows by the numbers what it has had.
//             Who has lost an object's home, or the node where it is, has lost the object for good.
// Threads     any thread of the runtime. A letter, a move or an answer is worked on by one thread; places in the table are locked a shard
//             at a time, and nothing else is called meanwhile.
// Messages    docs/adr/0020-objects-that-move.md says who says what to whom.
// Source      forwarding and lazy updates of caches: Charm++'s location manager; a home that orders moves, and resending by numbers, ours.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/failure_codec.hpp"
#include "dist/job.hpp"
#include "dist/out_of_band_parts.hpp"
#include "mobile/kept_objects.hpp"
#include "mobile/letter_counts.hpp"
#include "mobile/letters_to_many.hpp"
#include "mobile/multicasts.hpp"
#include "mobile/node_row.hpp"
#include "mobile/quiet_rounds.hpp"
#include "mobile/requests.hpp"
#include "mobile/resident.hpp"
#include "mobile/self_balancing.hpp"
#include "mobile/short_answers.hpp"
#include "sched/scheduler.hpp"

namespace stretto::mobiles {

struct object_settings {
  unsigned wander = 0;  // percent of the handled letters after which an object moves by itself
  std::uint64_t seed = 0;
  policy balances_by = policy::none;
  std::uint64_t balances_each_ms = 0;        // 0: not by itself
  self_balancing::round balances = nullptr;  // null: the same
  bool is_stepped = false;
};

class mobile_objects final : public dist::protocol {
 public:
  /// A letter goes at most so many hops by hearsay, and at most two more.
  static constexpr unsigned most_by_hearsay = 3;

  /// Before job::start. Both null in a runtime that is alone.
  mobile_objects(dist::job* j, dist::failure_codec* causes);
  ~mobile_objects() override;
  /// Nothing runs any more: the objects that are left end.
  void clear() noexcept;
  /// The runtime begins: how its handles are numbered, and what it was told.
  void serve(std::uint16_t node, const object_settings& s) noexcept;

  object_id adopt(const detail::make_request& request, const detail::mobile_type& type, void* object);
  object_id make(const detail::make_request& request, const detail::letter_type& maker, detail::parcel&& arguments);
  /// Names in a row, and the objects of such names; `request.node` is one of this job.
  object_id reserve(std::size_t count) noexcept;
  void make_reserved(object_id id, const detail::make_request& request, const detail::letter_type& maker,
                     detail::parcel&& arguments);
  [[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where) const;
  /// Throws G01, with the record given back. `thread` null: look it up, and the record may have a priority.
  void post(sched::task_record& record, void* thread, object_id to);
  void check(object_id to, const std::source_location& where, const char* called) const;
  /// Of a record whose body is that. What it throws it throws before anything is sent.
  void post_many(sched::task_record& record, detail::multicast& body);
  enum class sender : std::uint8_t { this_node, another };
  void leave(resident& o, bool has_read, detail::handler_span& span, sender of) noexcept;
  /// What a handler has taken counts before its sender hears of its end, who may ask for it then.
  void note_load(resident& o, detail::handler_span& span) noexcept;
  /// The object's last handler has begun: it ends, and what waits for it fails.
  void end(resident& o, sender of) noexcept;

  /// From now on it is measured what handlers take.
  void measure();
  /// What the objects `first` to `first + count - 1` of those that are here cost since the last round over them, and the others.
  /// No count: all objects.
  node_row loads(object_id first, std::uint64_t count);
  /// The same over the last window and this one, of all objects; the next one begins where asked.
  enum class then : std::uint8_t { go_on, begin_next };
  node_row loads_in_windows(then what);
  /// What has ended is counted first: where both are the same, there was a moment when nothing of this node was on its way.
  letter_counts letters() noexcept;
  /// A letter is on its way that has not been posted yet; one that no handler ends is over.
  void count_begun() noexcept { begun_apart_.fetch_add(1); }
  void count_ended() noexcept {
    ended_apart_.fetch_add(1);
    quiet_.look_if_alone();
  }
  /// It waits for something before it is posted, or has been.
  void count_deferred(int by) noexcept { deferred_ += static_cast<std::uint64_t>(by); }

  // For a checkpoint (holding.cpp, restoring.cpp). While a node is held for `by`, no handler of an object begins there, and no object leaves.

  /// Whether it is one of an object that is here.
  bool is_handler(sched::task_record& r);
  /// False if another has it.
  bool reserve_checkpoints(rank by) noexcept;
  void release_checkpoints(rank by) noexcept;
  void hold(rank by);
  void let_go(rank by);
  /// How far it has come to rest.
  hold_state held();
  /// Letters that have not begun here, or were sent from here, to whose end something is subscribed.
  std::vector<waited_letter> waited_letters();
  /// Those begin, and what is before them; or all that waits, once. And objects move that are to.
  void let_through(const std::vector<waited_letter>& all);
  void let_all_through();
  /// What is here, with the letters that wait. Requires that all has come to rest.
  std::vector<kept_object> copy();
  /// Whose names there are, which the names of another job's objects continue, and the highest count in them.
  std::map<std::uint16_t, rank> homes() const;
  std::uint64_t names_made() const noexcept { return made_; }

  /// Objects of another job. First, on each node, who is their home.
  void restore_homes(const std::map<std::uint16_t, rank>& homes, std::uint64_t names_made);
  rank restored_home(std::uint16_t node) const noexcept;
  void restore_home(object_id id, const std::string& name, rank at);
  /// It is here. Its home may be told before or after.
  void restore(object_id id, const detail::mobile_type& type, const std::string& name, void* object);
  /// Once all objects are there.
  void restore(object_id id, const kept_letter& l);

  bool is_here(object_id id);
  std::string name_of(object_id id);
  mobile_statistics statistics();

  /// For reports: who waits for objects here, and for answers; before the scheduler tells of its tasks. And after, whose handlers those are.
  void tell_waits(base::wait_walk& walk);
  void tell_handlers(base::wait_walk& walk);

  /// Happens when no letter is on its way or being handled, on any node.
  event quiescence(const std::source_location& where) { return quiet_.ask(where); }

  void lost(rank node, base::thread_context& context) noexcept override;
  void begin_poll() override { send_short_answers(); }
  void advance(base::thread_context& context) override;
  rank self() const noexcept { return self_; }
  std::uint32_t nodes() const noexcept { return job_ ? job_->nodes() : 1; }
  /// Nobody: of another job.
  rank home_of(object_id id) const noexcept {
    const auto node = static_cast<std::uint16_t>(id >> 48);
    const rank r = job_ ? job_->rank_of(node).value_or(nobody) : node == node_ ? rank{0} : nobody;
    return r != nobody ? r : restored_home(node);
  }

 private:
  enum class say : std::uint8_t {
    letter, value, value_and_end, end, ran, at, received, leave, go, stay, back, object, arrived, expected, is_it_there, never, gone, lost,
    dead, again, is_it_sent, not_sent, recall, has_left, taken, no_room, all_ended, letters, answers, count
  };
  static constexpr std::size_t says = static_cast<std::size_t>(say::count);

  /// Of an object that was made here, beside where it is.
  struct home_record {
    bool is_moving = false;  // and has not said that it is there
    rank from = 0;           // then
    std::map<rank, std::uint32_t> pinned;  // letters on their way there, and until they have come it goes nowhere
    rank wants_to = nobody;  // once nothing is pinned
    std::vector<std::unique_ptr<far_letter>> behind;  // that
    std::set<rank> visited;   // nodes that may know of it
  };
  struct entry {
    std::unique_ptr<resident> here;
    std::shared_ptr<sent_object> sent_away;  // where it goes to may have no room
    std::unique_ptr<home_record> home;
    std::uint64_t sent = 0;      // of this node
    std::uint64_t unanswered = 0, answered = 0;
    rank at = nobody;            // where it was heard of; at home, where it is or will be
    std::uint32_t epoch = 0;     // since that move of it; 0: never
    bool was_sent = false;       // to there, by this node
    bool was_here = false;
    rank asked_about = nobody;   // the home asks whether it will come from there
    std::vector<std::unique_ptr<far_letter>> parked;  // until it comes
    failure_ref lost;            // for this node, for good
    std::string name;
  };
  struct alignas(64) shard {
    base::spin_lock lock;
    std::unordered_map<object_id, entry> all;
    mobile_statistics counted;
    std::uint64_t ended = 0;  // letters of this node, of those that were near or far
    entry* find(object_id id) {
      const auto it = all.find(id);
      return it == all.end() ? nullptr : &it->second;
    }
  };

  /// What is to be done once the shard is not locked any more.
  struct errands {
    letter_list begin;
    std::vector<std::unique_ptr<far_letter>> deliver;
    std::vector<std::unique_ptr<far_letter>> leave;  // nobody handles them here: their answers are not waited for
    struct passing_on {
      rank to;
      std::unique_ptr<far_letter> what;
      passage way;
    };
    std::vector<passing_on> pass_on;
    struct saying {
      rank to;
      say what;
      dist::writer words;
    };
    std::vector<saying> tell;
    struct settling {
      letter* what;
      failure_ref cause;      // null: well
      bool is_for_good = true;  // the object takes nothing from that node any more
    };
    std::vector<settling> settle;  // that no handler ends
    resident* pack = nullptr;
    std::vector<std::shared_ptr<sent_object>> drop;
  };
  void run(errands& out);

  struct decision {
    enum { accept, make, park, wait, pass_on, send_back, refuse } what;
    rank to = nobody;
    passage way = {};
    failure_ref cause = {};
    bool is_known = false;  // that it is there
  };
  decision decide(const entry* e, const far_letter& l) const;
  void deliver(std::unique_ptr<far_letter> l);
  void take_in(entry& e, std::unique_ptr<far_letter> l, errands& out);
  void begin_making(entry& e, std::unique_ptr<far_letter> l, errands& out);
  void send_first(const std::shared_ptr<const far_letter>& l);
  void send_by(const decision& d, const std::shared_ptr<const far_letter>& l);
  void send_again(const far_letter& l, rank avoid);
  /// Large arguments go from the letter itself, which counts as this node's memory, or as a message.
  void pass_on(rank to, const std::shared_ptr<const far_letter>& l, const passage& way, dist::job::counting is = dist::job::counting::as_message);
  void note_passed_on(rank to, rank sender) {
    const std::scoped_lock lock(passed_on_lock_);
    passed_on_.emplace(to, sender);
  }

  void post_near(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, sched::task_record& r, void* thread);
  /// Begins what may begin, moves or lets go of what is to move. Requires the lock.
  void advance(resident& o, errands& out);
  void begin(letter& l, sched::thread_state& t);
  /// On a thread that is outside of finishes: its end counts here for the whole runtime alone; who has sent it counts it there.
  void begin_far(far_letter& l, sched::thread_state& t);
  /// The body of the task that handles a far letter.
  struct far_body {
    mobile_objects* all;
    far_letter* what;
    void operator()() const { all->handle(std::unique_ptr<far_letter>(what)); }
  };
  void handle(std::unique_ptr<far_letter> l);
  void settle(letter& l, failure_ref cause, bool is_for_good);
  void answer(rank to, outcome what, std::uint64_t request, const failure_ref& cause, detail::parcel&& value = {}, bool is_for_good = false);
  /// That it has been handled without a value, and has spawned nothing that goes on.
  void answer_shortly(const far_letter& l);
  void send_short_answers();
  void send_short_answers(rank to, const short_answers::batch& all);
  void take(outcome what, std::uint64_t request, rank by, failure_ref cause, std::span<const std::byte> value, bool is_for_good = false);
  /// The same, with the answers to letters that came with it.
  void answer(far_letter& l, outcome what, const failure_ref& cause, detail::parcel&& value = {}, bool is_for_good = false);
  void note_answered(object_id id, std::uint64_t number, failure_ref cause, bool is_for_good);
  /// What this node has sent, to that object or to all (0), that has no answer yet.
  std::vector<std::shared_ptr<const far_letter>> unanswered(object_id of = 0);
  /// What this node has sent to it comes to nothing.
  void fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number = 0);
  /// Its letters, of any kind, come to nothing. Requires the lock; the object is the caller's.
  static void empty(resident& o, entry& e, const failure_ref& cause, errands& out);
  void stillborn(resident& o, const failure_ref& cause);

  // To many at once.
  void post_far(const std::shared_ptr<multicast_under_way>& m);
  void send_first(const std::shared_ptr<multicast_under_way>& m, const std::vector<run_of_letters>& each);
  void pass_down(const letters_to_many& all, std::span<const letters_for> parts, const std::shared_ptr<const void>& lent);
  void hear_letters(rank from, dist::reader& c);
  bool begins_at_once(far_letter& l);
  void hear_answers(rank from, dist::reader& c);

  // Moves.
  void pack(resident& o);
  void send_object(std::unique_ptr<resident> o, detail::parcel&& content, std::uint32_t epoch);
  /// It is here again, or for the first time. What this node has sent to it and is lost, for that cause, is the caller's to fail.
  failure_ref settle_in(object_id id, entry& e, std::unique_ptr<resident> o, errands& out);
  void let_go(object_id id, entry& e, rank to, errands& out);
  void keep_there(object_id id, entry& e, errands& out);
  static void release_behind(home_record& h, errands& out);
  void call_back(resident& o, errands& out);
  void end_move(resident& o, failure_ref cause, errands& out);
  void wander(resident& o);
  /// At home: nobody has it any more.
  void give_up(object_id id, entry& e, failure_ref cause, errands& out);

  // Losses.
  void lost_home(entry& e, object_id id, rank node, errands& out);
  void lost_place(entry& e, object_id id, rank node, errands& out);

  template <say what>
  void on_said(rank from, dist::reader& content, base::thread_context& context) {
    hear(what, from, content);
    if (what != say::object) ++heard_;  // and what follows from it is said; an object may have to be waited for
  }
  template <std::size_t... n>
  void listen(std::index_sequence<n...>);
  void hear(say what, rank from, dist::reader& content);
  void tell(rank to, say what, dist::writer&& words);
  void hear_letter(rank from, dist::reader& c);
  void hear_answer(outcome what, rank from, dist::reader& c);
  void hear_at(object_id id, rank where, std::uint32_t epoch);
  void hear_leave(rank from, object_id id, rank to);
  void hear_go(object_id id, std::uint32_t epoch);
  void hear_stay(object_id id, std::uint32_t epoch);
  void hear_back(rank from, object_id id);
  struct coming_object;
  void hear_object(rank from, dist::reader& c);
  /// The body of the task that reads one.
  struct reading {
    mobile_objects* all;
    coming_object* what;
    void operator()() const;
  };
  void read_object(std::unique_ptr<coming_object> coming, std::span<const std::byte> bytes);
  void take_object(std::unique_ptr<coming_object> coming, failure_ref cause);
  void refuse_object(rank from, const object_head& head, failure_ref cause);
  void refuse_letter(std::unique_ptr<far_letter> l, failure_ref cause);
  void hear_is_it_there(object_id id, std::uint32_t epoch, rank from);
  void await(object_id id, entry& e, rank from, errands& out);
  void hear_never(object_id id, entry& e, rank from, errands& out);
  void hear_expected(rank by, object_id id);
  void hear_again(object_id id, rank whom);
  void hear_dead(object_id id);
  static void release_parked(entry& e, errands& out);
  /// Those that came because of a move up to that one.
  static void release_parked(entry& e, errands& out, std::uint32_t until);
  void tell_visited(object_id id, const entry& e, errands& out);
  void hear_is_it_sent(rank by, object_id id);
  void hear_not_sent(rank from, object_id id);
  void hear_recall(rank by, object_id id, std::uint32_t epoch);
  void hear_has_left(object_id id, std::uint32_t epoch);
  void hear_taken(object_id id, std::uint32_t epoch);
  void hear_no_room(object_id id, std::uint32_t epoch, failure_ref cause);
  void take_back_waiting();
  // This node has no room for what another says.
  void on_refused_letter(rank from, dist::reader& first_words, failure_ref cause, base::thread_context& context);
  void on_refused_object(rank from, dist::reader& first_words, failure_ref cause, base::thread_context& context);
  template <outcome what>
  void on_refused_answer(rank from, dist::reader& first_words, failure_ref cause, base::thread_context& context);
  failure_ref refused_at(object_id id, const std::string& name, const failure& cause) const;
  void hear_ran(std::uint64_t request, rank on);
  void hear_received(rank by, object_id id);
  /// So many of the letters that it was pinned for are not on their way to there any more.
  void unpin(object_id id, entry& e, rank there, std::uint32_t letters, errands& out);

  template <class Choose>
  void let_through_where(Choose&& choose);

  static sched::thread_state& here() { return static_cast<sched::thread_state&>(base::require_current("send")); }
  shard& shard_of(object_id id) noexcept { return shards_[(id ^ id >> 6) % shards_.size()]; }
  bool is_lost(rank r) const noexcept { return job_ && r != self_ && job_->is_lost(r); }
  failure_ref destroyed(object_id id, const std::string& name) const;
  failure_ref lost_with(object_id id, const entry* e, rank node, const char* role) const;
  failure_ref lost_by(object_id id, const std::string& name, const failure& cause) const;
  std::string words_for(object_id id, const std::string& name) const;
  /// One that has come to be here is measured and held as the others are. Behind its shard's lock.
  void join_others(resident& o);
  /// Where the body of a task says that the object of its handler is.
  struct handled_at {
    const detail::mobile_here *near = nullptr, *far = nullptr;
    rank from = 0;  // of a far one
    std::uint64_t request = 0;
  };
  handled_at peek_at_handler(const void* body) const;

  dist::job* const job_;
  dist::failure_codec* const causes_;
  std::array<dist::message_kind, says> kinds_{};
  rank self_ = 0;
  std::uint16_t node_ = 0;
  object_settings settings_;
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::uint64_t> drawn_{0};
  std::atomic<bool> measures_{false};
  std::atomic<double> seconds_per_tick_{0};  // before it does
  std::atomic<std::uint64_t> window_{0}, window_before_{0};  // where they began, in ticks
  std::atomic<std::uint64_t> handling_{0};  // letters of other nodes
  std::atomic<std::uint64_t> begun_apart_{0}, ended_apart_{0};  // of this node, beside those that shards count
  std::atomic<std::uint64_t> said_{0}, heard_{0};  // to and from other nodes
  std::atomic<std::uint64_t> deferred_{0};
  std::atomic<std::uint64_t> sent_to_many_{0};
  std::atomic<bool> is_held_{false};
  std::atomic<rank> held_by_{nobody};
  std::atomic<rank> checkpoints_of_{nobody};
  std::atomic<const std::map<std::uint16_t, rank>*> restored_homes_{nullptr};
  std::vector<std::unique_ptr<const std::map<std::uint16_t, rank>>> all_restored_homes_;
  const std::unique_ptr<dist::out_of_band_parts> parts_;  // null: alone
  requests requests_;
  multicasts multicasts_;
  const std::unique_ptr<short_answers> short_answers_;  // null: alone
  struct coming_back {
    object_id id;
    std::uint32_t epoch;
    failure_ref cause;
  };
  std::vector<coming_back> coming_back_;  // of who polls: once the transport has done with their parts
  quiet_rounds quiet_;
  self_balancing balancing_;
  base::spin_lock passed_on_lock_;
  std::set<std::pair<rank, rank>> passed_on_;  // to whom, whose letters, ever
  std::array<shard, 64> shards_;
};

}  // namespace stretto::mobiles
