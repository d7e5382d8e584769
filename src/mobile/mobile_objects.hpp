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
#include "dist/failures.hpp"
#include "dist/job.hpp"
#include "dist/parts_ahead.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/broadcast_table.hpp"
#include "mobile/load_report.hpp"
#include "mobile/local_object.hpp"
#include "mobile/message_counts.hpp"
#include "mobile/pending_replies.hpp"
#include "mobile/periodic_balancing.hpp"
#include "mobile/quiescence_detection.hpp"
#include "mobile/reply_batcher.hpp"
#include "mobile/saved_objects.hpp"
#include "sched/scheduler.hpp"

namespace stretto::mobiles {

struct object_settings {
  unsigned random_migration_percent = 0;  // percent of the handled letters after which an object moves by itself
  std::uint64_t seed = 0;
  policy balance_policy = policy::none;
  std::uint64_t balance_period_ms = 0;        // 0: not by itself
  periodic_balancing::round begin_balancing = nullptr;  // null: the same
  bool is_stepped = false;
};

class mobile_objects final : public dist::protocol {
 public:
  /// A letter goes at most so many hops by hearsay, and at most two more.
  static constexpr unsigned max_forwards = 3;

  /// Before job::start. Both null in a runtime that is alone.
  mobile_objects(dist::job* j, dist::failures* causes);
  ~mobile_objects() override;
  /// Nothing runs any more: the objects that are left end.
  void clear() noexcept;
  /// The runtime begins: how its handles are numbered, and what it was told.
  void start(std::uint16_t node, const object_settings& s) noexcept;

  object_id adopt(const detail::make_request& request, const detail::mobile_type& type, void* object);
  object_id make(const detail::make_request& request, const detail::message_type& maker, detail::parcel&& arguments);
  /// Names in a row, and the objects of such names; `request.node` is one of this job.
  object_id reserve_ids(std::size_t count) noexcept;
  void make_reserved(object_id id, const detail::make_request& request, const detail::message_type& maker,
                     detail::parcel&& arguments);
  [[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where) const;
  /// Throws G01, with the record given back. `thread` null: look it up, and the record may have a priority.
  void post(sched::task_record& record, void* thread, object_id to);
  void check(object_id to, const std::source_location& where, const char* called) const;
  /// Of a record whose body is that. What it throws it throws before anything is sent.
  void post_broadcast(sched::task_record& record, detail::broadcast_body& body);
  enum class message_origin : std::uint8_t { this_node, other_node };
  void finish_handler(local_object& o, bool has_read, detail::handler_span& span, message_origin of) noexcept;
  /// What a handler has taken counts before its sender hears of its end, who may ask for it then.
  void record_load(local_object& o, detail::handler_span& span) noexcept;
  /// The object's last handler has begun: it ends, and what waits for it fails.
  void destroy_object(local_object& o, message_origin of) noexcept;

  /// From now on it is measured what handlers take.
  void measure();
  /// What the objects `first` to `first + count - 1` of those that are here cost since the last round over them, and the others.
  /// No count: all objects.
  load_report load_report_of(object_id first, std::uint64_t count);
  /// The same over the last window and this one, of all objects; the next one begins where asked.
  enum class window_step : std::uint8_t { continue_window, begin_next };
  load_report windowed_load_report(window_step what);
  /// What has ended is counted first: where both are the same, there was a moment when nothing of this node was on its way.
  message_counts message_totals() noexcept;
  /// A letter is on its way that has not been posted yet; one that no handler ends is over.
  void count_begun() noexcept { extra_begun_.fetch_add(1); }
  void count_ended() noexcept {
    extra_ended_.fetch_add(1);
    quiescence_.check_if_single_node();
  }
  /// It waits for something before it is posted, or has been.
  void count_deferred(int by) noexcept { deferred_sends_ += static_cast<std::uint64_t>(by); }

  // For a checkpoint (holding.cpp, restoring.cpp). While a node is held for `by`, no handler of an object begins there, and no object leaves.

  /// Whether it is one of an object that is here.
  bool is_handler(sched::task_record& r);
  /// False if another has it.
  bool try_reserve_checkpoints(rank by) noexcept;
  void release_checkpoints(rank by) noexcept;
  void pause_for_checkpoint(rank by);
  void resume_after_checkpoint(rank by);
  /// How far it has come to rest.
  pause_state current_pause_state();
  /// Letters that have not begun here, or were sent from here, to whose end something is subscribed.
  std::vector<awaited_message> awaited_messages();
  /// Those begin, and what is before them; or all that waits, once. And objects move that are to.
  void release_messages(const std::vector<awaited_message>& all);
  void release_all_messages();
  /// What is here, with the letters that wait. Requires that all has come to rest.
  std::vector<saved_object> save_objects();
  /// Whose names there are, which the names of another job's objects continue, and the highest count in them.
  std::map<std::uint16_t, rank> home_nodes() const;
  std::uint64_t names_made() const noexcept { return ids_made_; }

  /// Objects of another job. First, on each node, who is their home.
  void restore_home_nodes(const std::map<std::uint16_t, rank>& homes, std::uint64_t names_made);
  rank restored_home_node(std::uint16_t node) const noexcept;
  void restore_home_record(object_id id, const std::string& name, rank at);
  /// It is here. Its home may be told before or after.
  void restore_object(object_id id, const detail::mobile_type& type, const std::string& name, void* object);
  /// Once all objects are there.
  void restore_message(object_id id, const saved_message& msg);

  bool is_here(object_id id);
  std::string name_of(object_id id);
  mobile_statistics statistics();

  /// For reports: who waits for objects here, and for answers; before the scheduler tells of its tasks. And after, whose handlers those are.
  void add_wait_edges(base::wait_walk& walk);
  void add_handler_edges(base::wait_walk& walk);

  /// Happens when no letter is on its way or being handled, on any node.
  event quiescence(const std::source_location& where) { return quiescence_.when_quiescent(where); }

  void lost(rank node, base::thread_context& context) noexcept override;
  void begin_poll() override { flush_reply_batches(); }
  void advance(base::thread_context& context) override;
  rank self() const noexcept { return self_; }
  std::uint32_t nodes() const noexcept { return job_ ? job_->nodes() : 1; }
  /// Nobody: of another job.
  rank home_of(object_id id) const noexcept {
    const auto node = static_cast<std::uint16_t>(id >> 48);
    const rank r = job_ ? job_->rank_of(node).value_or(no_rank) : node == node_ ? rank{0} : no_rank;
    return r != no_rank ? r : restored_home_node(node);
  }

 private:
  enum class protocol_message : std::uint8_t {
    message,
    value_reply,
    value_and_end_reply,
    end_reply,
    executed_at,
    location_update,
    pinned_message_arrived,
    migration_request,
    migration_decision,
    migration_cancelled,
    cancellation_request,
    object,
    object_arrived,
    location_query,
    arrival_query,
    lost_in_transit,
    object_failed,
    object_lost,
    object_destroyed,
    resend_request,
    departure_query,
    not_departed,
    recall,
    already_departed,
    object_accepted,
    object_rejected,
    batched_replies,
    broadcast,
    aggregated_replies,
    count
  };
  static constexpr std::size_t protocol_message_count = static_cast<std::size_t>(protocol_message::count);

  /// Of an object that was made here, beside where it is.
  struct home_record {
    bool is_moving = false;  // and has not said that it is there
    rank moving_from = 0;           // then
    std::map<rank, std::uint32_t> pinned;  // letters on their way there, and until they have come it goes nowhere
    rank requested_destination = no_rank;  // once nothing is pinned
    std::vector<std::unique_ptr<remote_message>> blocked;  // that
    std::set<rank> visited;   // nodes that may know of it
  };
  struct entry {
    std::unique_ptr<local_object> local;
    std::shared_ptr<departed_object> departed;  // where it goes to may have no room
    std::unique_ptr<home_record> home;
    std::uint64_t messages_sent = 0;      // of this node
    std::uint64_t unanswered = 0, answered_below = 0;
    rank location = no_rank;            // where it was heard of; at home, where it is or will be
    std::uint32_t epoch = 0;     // since that move of it; 0: never
    bool was_sent_there = false;       // to there, by this node
    bool was_here = false;
    rank awaited_from = no_rank;   // the home asks whether it will come from there
    std::vector<std::unique_ptr<remote_message>> parked;  // until it comes
    failure_ref loss;            // for this node, for good
    std::string name;
  };
  struct alignas(64) shard {
    base::spin_lock lock;
    std::unordered_map<object_id, entry> all;
    mobile_statistics counters;
    std::uint64_t ended = 0;  // letters of this node, of those that were near or far
    entry* find(object_id id) {
      const auto it = all.find(id);
      return it == all.end() ? nullptr : &it->second;
    }
  };

  /// What is to be done once the shard is not locked any more.
  struct deferred_actions {
    message_list begin;
    std::vector<std::unique_ptr<remote_message>> deliver;
    std::vector<std::unique_ptr<remote_message>> discard;  // nobody handles them here: their answers are not waited for
    struct forwarding {
      rank to;
      std::unique_ptr<remote_message> what;
      routing_state routing;
    };
    std::vector<forwarding> forward;
    struct notification {
      rank to;
      protocol_message what;
      dist::writer payload;
    };
    std::vector<notification> send;
    struct unhandled_message {
      message* what;
      failure_ref cause;      // null: well
      bool is_permanent = true;  // the object takes nothing from that node any more
    };
    std::vector<unhandled_message> complete;  // that no handler ends
    local_object* pack = nullptr;
    std::vector<std::shared_ptr<departed_object>> drop;
  };
  void run(deferred_actions& actions);

  struct decision {
    enum { accept, construct, park, hold_at_home, forward, return_to_sender, reject } what;
    rank to = no_rank;
    routing_state routing = {};
    failure_ref cause = {};
    bool is_location_known = false;  // that it is there
  };
  decision decide_route(const entry* e, const remote_message& msg) const;
  void deliver(std::unique_ptr<remote_message> msg);
  void accept_message(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void begin_construction(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void send_first(const std::shared_ptr<const remote_message>& msg);
  void send_as_decided(const decision& d, const std::shared_ptr<const remote_message>& msg);
  void resend(const remote_message& msg, rank avoid);
  /// Large arguments go from the letter itself, which counts as this node's memory, or as a message.
  void forward(rank to, const std::shared_ptr<const remote_message>& msg, const routing_state& routing,
               dist::job::counting is = dist::job::counting::as_message);
  void record_forward(rank to, rank sender) {
    const std::scoped_lock lock(forwarded_lock_);
    forwarded_.emplace(to, sender);
  }

  void post_local(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, sched::task_record& r, void* thread);
  /// Begins what may begin, moves or lets go of what is to move. Requires the lock.
  void advance_object(local_object& o, deferred_actions& actions);
  void begin_handler(message& msg, sched::thread_state& t);
  /// On a thread that is outside of finishes: its end counts here for the whole runtime alone; who has sent it counts it there.
  void begin_remote_handler(remote_message& msg, sched::thread_state& t);
  /// The body of the task that handles a far letter.
  struct remote_handler_body {
    mobile_objects* all;
    remote_message* what;
    void operator()() const { all->run_remote_handler(std::unique_ptr<remote_message>(what)); }
  };
  void run_remote_handler(std::unique_ptr<remote_message> msg);
  void complete_unhandled(message& msg, failure_ref cause, bool is_permanent);
  void send_reply(rank to, reply_kind what, std::uint64_t request, const failure_ref& cause,
                  detail::parcel&& value = {}, bool is_permanent = false);
  /// That it has been handled without a value, and has spawned nothing that goes on.
  void batch_reply(const remote_message& msg);
  void flush_reply_batches();
  void send_reply_batch(rank to, const reply_batcher::batch& all);
  void complete_request(reply_kind what, std::uint64_t request, rank by, failure_ref cause,
                        std::span<const std::byte> value, bool is_permanent = false);
  /// The same, with the answers to letters that came with it.
  void send_reply(remote_message& msg, reply_kind what, const failure_ref& cause, detail::parcel&& value = {},
                  bool is_permanent = false);
  void record_reply(object_id id, std::uint64_t number, failure_ref cause, bool is_permanent);
  /// What this node has sent, to that object or to all (0), that has no answer yet.
  std::vector<std::shared_ptr<const remote_message>> unanswered(object_id of = 0);
  /// What this node has sent to it comes to nothing.
  void fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number = 0);
  /// Its letters, of any kind, come to nothing. Requires the lock; the object is the caller's.
  static void fail_all_messages(local_object& o, entry& e, const failure_ref& cause, deferred_actions& actions);
  void construction_failed(local_object& o, const failure_ref& cause);

  // To many at once.
  void post_remote_elements(const std::shared_ptr<pending_broadcast>& m);
  void send_broadcast(const std::shared_ptr<pending_broadcast>& m, const std::vector<message_run>& each);
  void forward_broadcast(const broadcast_message& all, std::span<const node_messages> parts,
                         const std::shared_ptr<const void>& lent);
  void on_broadcast(rank from, dist::reader& c);
  bool try_begin_at_once(remote_message& msg);
  void on_aggregated_replies(rank from, dist::reader& c);

  // Moves.
  void pack_object(local_object& o);
  void send_object(std::unique_ptr<local_object> o, detail::parcel&& content, std::uint32_t epoch);
  /// It is here again, or for the first time. What this node has sent to it and is lost, for that cause, is the caller's to fail.
  failure_ref install_object(object_id id, entry& e, std::unique_ptr<local_object> o, deferred_actions& actions);
  void grant_migration(object_id id, entry& e, rank to, deferred_actions& actions);
  void deny_migration(object_id id, entry& e, deferred_actions& actions);
  static void release_blocked(home_record& h, deferred_actions& actions);
  void cancel_migration(local_object& o, deferred_actions& actions);
  void complete_migration(local_object& o, failure_ref cause, deferred_actions& actions);
  void migrate_at_random(local_object& o);
  /// At home: nobody has it any more.
  void declare_lost(object_id id, entry& e, failure_ref cause, deferred_actions& actions);

  // Losses.
  void on_home_failed(entry& e, object_id id, rank node, deferred_actions& actions);
  void on_host_failed(entry& e, object_id id, rank node, deferred_actions& actions);

  template <protocol_message what>
  void on_protocol_message(rank from, dist::reader& content, base::thread_context& context) {
    dispatch(what, from, content);
    if (what != protocol_message::object) ++protocol_messages_received_;  // and what follows from it is said; an object may have to be waited for
  }
  template <std::size_t... n>
  void register_handlers(std::index_sequence<n...>);
  void dispatch(protocol_message what, rank from, dist::reader& content);
  void send(rank to, protocol_message what, dist::writer&& payload);
  void on_message(rank from, dist::reader& c);
  void on_reply(reply_kind what, rank from, dist::reader& c);
  void on_location_update(object_id id, rank where, std::uint32_t epoch);
  void on_migration_request(rank from, object_id id, rank to);
  void on_migration_decision(object_id id, std::uint32_t epoch);
  void on_migration_cancelled(object_id id, std::uint32_t epoch);
  void on_cancellation_request(rank from, object_id id);
  struct arriving_object;
  void on_object(rank from, dist::reader& c);
  /// The body of the task that reads one.
  struct read_task {
    mobile_objects* all;
    arriving_object* what;
    void operator()() const;
  };
  void read_object(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes);
  void accept_object(std::unique_ptr<arriving_object> arriving, failure_ref cause);
  void reject_object(rank from, const migration_header& head, failure_ref cause);
  void reject_message(std::unique_ptr<remote_message> msg, failure_ref cause);
  void on_arrival_query(object_id id, std::uint32_t epoch, rank from);
  void await_object(object_id id, entry& e, rank from, deferred_actions& actions);
  void report_lost_in_transit(object_id id, entry& e, rank from, deferred_actions& actions);
  void on_location_query(rank by, object_id id);
  void on_resend_request(object_id id, rank whom);
  void on_object_destroyed(object_id id);
  static void release_parked(entry& e, deferred_actions& actions);
  /// Those that came because of a move up to that one.
  static void release_parked(entry& e, deferred_actions& actions, std::uint32_t until);
  void notify_visited(object_id id, const entry& e, deferred_actions& actions);
  void on_departure_query(rank by, object_id id);
  void on_not_departed(rank from, object_id id);
  void on_recall(rank by, object_id id, std::uint32_t epoch);
  void on_already_departed(object_id id, std::uint32_t epoch);
  void on_object_accepted(object_id id, std::uint32_t epoch);
  void on_object_rejected(object_id id, std::uint32_t epoch, failure_ref cause);
  void take_back_rejected();
  // This node has no room for what another says.
  void on_unreceivable_message(rank from, dist::reader& message_prefix, failure_ref cause,
                               base::thread_context& context);
  void on_unreceivable_object(rank from, dist::reader& message_prefix, failure_ref cause,
                              base::thread_context& context);
  template <reply_kind what>
  void on_unreceivable_reply(rank from, dist::reader& message_prefix, failure_ref cause, base::thread_context& context);
  failure_ref rejection_failure(object_id id, const std::string& name, const failure& cause) const;
  void on_executed_at(std::uint64_t request, rank on);
  void on_pinned_message_arrived(rank by, object_id id);
  /// So many of the letters that it was pinned for are not on their way to there any more.
  void unpin(object_id id, entry& e, rank there, std::uint32_t messages, deferred_actions& actions);

  template <class Choose>
  void release_messages_where(Choose&& choose);

  static sched::thread_state& current_thread() {
    return static_cast<sched::thread_state&>(base::require_current("send"));
  }
  shard& shard_of(object_id id) noexcept { return shards_[(id ^ id >> 6) % shards_.size()]; }
  bool is_lost(rank r) const noexcept { return job_ && r != self_ && job_->is_lost(r); }
  failure_ref destroyed_failure(object_id id, const std::string& name) const;
  failure_ref node_loss_failure(object_id id, const entry* e, rank node, const char* role) const;
  failure_ref loss_failure(object_id id, const std::string& name, const failure& cause) const;
  std::string display_name(object_id id, const std::string& name) const;
  /// One that has come to be here is measured and held as the others are. Behind its shard's lock.
  void apply_node_state(local_object& o);
  /// Where the body of a task says that the object of its handler is.
  struct handler_location {
    const detail::local_object_base *local = nullptr, *remote = nullptr;
    rank from = 0;  // of a far one
    std::uint64_t request = 0;
  };
  handler_location read_handler_location(const void* body) const;

  dist::job* const job_;
  dist::failures* const failures_;
  std::array<dist::message_kind, protocol_message_count> kinds_{};
  rank self_ = 0;
  std::uint16_t node_ = 0;
  object_settings settings_;
  std::atomic<std::uint64_t> ids_made_{0};
  std::atomic<std::uint64_t> random_draws_{0};
  std::atomic<bool> is_measuring_{false};
  std::atomic<double> seconds_per_tick_{0};  // before it does
  std::atomic<std::uint64_t> window_begin_{0}, last_window_begin_{0};  // where they began, in ticks
  std::atomic<std::uint64_t> remote_handlers_running_{0};  // letters of other nodes
  std::atomic<std::uint64_t> extra_begun_{0}, extra_ended_{0};  // of this node, beside those that shards count
  std::atomic<std::uint64_t> protocol_messages_sent_{0}, protocol_messages_received_{0};  // to and from other nodes
  std::atomic<std::uint64_t> deferred_sends_{0};
  std::atomic<std::uint64_t> broadcast_messages_sent_{0};
  std::atomic<bool> is_paused_{false};
  std::atomic<rank> paused_by_{no_rank};
  std::atomic<rank> checkpoint_owner_{no_rank};
  std::atomic<const std::map<std::uint16_t, rank>*> restored_home_nodes_{nullptr};
  std::vector<std::unique_ptr<const std::map<std::uint16_t, rank>>> all_restored_home_nodes_;
  const std::unique_ptr<dist::parts_ahead> parts_;  // null: alone
  pending_replies pending_replies_;
  broadcast_table broadcasts_;
  const std::unique_ptr<reply_batcher> reply_batcher_;  // null: alone
  struct returning_object {
    object_id id;
    std::uint32_t epoch;
    failure_ref cause;
  };
  std::vector<returning_object> returning_objects_;  // of who polls: once the transport has done with their parts
  quiescence_detection quiescence_;
  periodic_balancing balancing_;
  base::spin_lock forwarded_lock_;
  std::set<std::pair<rank, rank>> forwarded_;  // to whom, whose letters, ever
  std::array<shard, 64> shards_;
};

}  // namespace stretto::mobiles
