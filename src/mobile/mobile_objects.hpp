// mobile_objects.hpp - one node's view of the mobile objects of a job: the local objects, the last known location of
// remote ones, and, for objects that this node made, their current location.
//
// The node that made an object is its home node. It always knows where the object is: a node asks the home node before
// an object leaves it. Other nodes use the last location that they have heard of. A node that receives a message for an
// object that has left forwards it to the object's last known location and sends the sender a location update. After
// three forwards the message goes through the home node, which blocks migration of the object until the message has
// arrived. A message that arrives before its object is parked until the object arrives.
//
// Failures    An object is lost with the node where it is, and with the source or destination of a migration under way.
//             When a node fails, every other node resends its unanswered messages through the home nodes. The object
//             drops duplicates by sequence number. A node that has lost contact with an object's home node, or with the
//             node where the object is, has lost the object for good.
// Threads     Any thread of the runtime. One thread at a time works on a message, a migration or a reply. At most one
//             shard of the directory is locked at a time; the only other lock taken under it is that of the pending
//             replies.
// Messages    protocol_messages.hpp.
// Source      Forwarding and lazy updates of location caches: Charm++'s location manager. A home node that orders
//             migrations, and resending by sequence number, are ours.
#pragma once

#include <algorithm>
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
#include <variant>
#include <vector>

#include "base/spin_lock.hpp"
#include "dist/job.hpp"
#include "dist/out_of_band_parts.hpp"
#include "mobile/broadcast_message.hpp"
#include "mobile/broadcast_table.hpp"
#include "mobile/load_report.hpp"
#include "mobile/local_object.hpp"
#include "mobile/message_counts.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/pending_replies.hpp"
#include "mobile/periodic_balancing.hpp"
#include "mobile/protocol_messages.hpp"
#include "mobile/quiescence_detection.hpp"
#include "mobile/reply_batcher.hpp"
#include "mobile/saved_objects.hpp"
#include "sched/scheduler.hpp"

namespace stretto::mobiles {

struct object_settings {
  std::uint64_t seed = 0;
  policy balance_policy = policy::none;
  bool is_stepped = false;

  // start_mobile() sets these.
  std::uint64_t balance_period_ms = 0;                  // 0: no periodic balancing
  periodic_balancing::round begin_balancing = nullptr;  // null: no periodic balancing
  unsigned random_migration_percent = 0;                // of the handled messages: their objects move to random nodes
};

class mobile_objects final : public dist::protocol {
 public:
  /// Forwards by last known location; at most two more hops follow, to the home node and from there.
  static constexpr unsigned max_forwards = 3;

  /// Call before job::start. `j` is null in a runtime without a job.
  explicit mobile_objects(dist::job* j);
  ~mobile_objects() override;
  /// Destroys the local objects that are left. Requires that no task runs any more.
  void clear() noexcept;
  /// The runtime starts: sets the node number in the ids of new objects, and the options.
  void start(std::uint16_t node, const object_settings& s) noexcept;

  object_id adopt(const detail::make_request& request, const detail::mobile_type& type, void* object);
  object_id make(const detail::make_request& request, const detail::message_type& maker, detail::parcel&& arguments);
  /// Ids in a row, and the construction of an object under such an id. `request.node` must be a node of this job.
  object_id reserve_ids(std::size_t count) noexcept;
  void make_reserved(object_id id, const detail::make_request& request, const detail::message_type& maker,
                     detail::parcel&& arguments);
  [[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where) const;
  /// Throws G01 after it has given the record back. `thread` null: looks the thread up; the record may have a priority.
  void post(sched::task_record& record, void* thread, object_id to);
  void check(object_id to, const std::source_location& where, const char* called) const;
  /// The body of the record must be `body`. Throws, if at all, before anything is sent.
  void post_broadcast(sched::task_record& record, detail::broadcast_body& body);
  enum class message_origin : std::uint8_t { this_node, other_node };
  void finish_handler(local_object& o, bool has_read, detail::handler_span& span, message_origin of) noexcept;
  /// Records the cost of a handler before its reply is sent: the sender may query it as soon as the reply arrives.
  void record_load(local_object& o, detail::handler_span& span) noexcept;
  /// The destroy message has been reached: destroys the object and fails its waiting messages.
  void destroy_object(local_object& o, message_origin of) noexcept;

  /// Measures the cost of handlers from now on.
  void measure();
  /// Costs since the last round of the local objects `first` to `first + count - 1`; the other local objects count as
  /// background. `count` 0: all objects.
  load_report load_report_of(object_id first, std::uint64_t count);
  /// Costs of all local objects over the last window and the current one; `begin_next` then begins the next window.
  enum class window_step : std::uint8_t { continue_window, begin_next };
  load_report windowed_load_report(window_step what);
  /// Counts ended messages first: if both counts are equal, there was a moment when no message of this node was under
  /// way.
  message_counts message_totals() noexcept;
  /// Counts a message that has not been posted yet, and the end of a message that no handler runs.
  void count_begun() noexcept { extra_begun_.fetch_add(1); }
  void count_ended() noexcept {
    extra_ended_.fetch_add(1);
    quiescence_.check_if_single_node();
  }
  /// Counts sends that wait for an event before they are posted.
  void count_deferred(int by) noexcept { deferred_sends_ += static_cast<std::uint64_t>(by); }

  // For a checkpoint (checkpoint_pause.cpp, checkpoint_restore.cpp). While a node is paused for node `by`, it begins no
  // handler of an object, and no object leaves it.

  /// Whether the record is a handler of a local object.
  bool is_handler(sched::task_record& r);
  /// False if another node has reserved the right to take checkpoints.
  bool try_reserve_checkpoints(rank by) noexcept;
  void release_checkpoints(rank by) noexcept;
  void pause_for_checkpoint(rank by);
  void resume_after_checkpoint(rank by);
  /// How far this node has drained.
  pause_state current_pause_state();
  /// Messages, waiting here or sent from here and unanswered, whose end something waits for.
  std::vector<awaited_message> awaited_messages();
  /// Begins these messages and those queued before them, or once all that wait; then migrates objects that are to move.
  void release_messages(const std::vector<awaited_message>& all);
  void release_all_messages();
  /// The local objects with their waiting messages. Requires that every node is drained.
  std::vector<saved_object> save_objects();
  /// The home node for each node number in ids, for another job that restores these objects; and the highest count in
  /// ids.
  std::map<std::uint16_t, rank> home_nodes() const;
  std::uint64_t names_made() const noexcept { return ids_made_; }

  /// Objects of another job. First, on every node: which nodes are their homes.
  void restore_home_nodes(const std::map<std::uint16_t, rank>& homes, std::uint64_t names_made);
  rank restored_home_node(std::uint16_t node) const noexcept;
  void restore_home_record(object_id id, const std::string& name, rank at);
  /// Installs a local object. Its home record may be restored before or after.
  void restore_object(object_id id, const detail::mobile_type& type, const std::string& name, void* object);
  /// Requires that all objects are restored.
  void restore_message(object_id id, const saved_message& msg);

  bool is_here(object_id id);
  std::string name_of(object_id id);
  mobile_statistics statistics();

  /// For hang reports: who waits for local objects and for replies, called before the scheduler reports its tasks; and
  /// after that, which tasks are handlers of these objects.
  void add_wait_edges(base::wait_walk& walk);
  void add_handler_edges(base::wait_walk& walk);

  /// Triggers when no message is under way or being handled on any node.
  event quiescence(const std::source_location& where) { return quiescence_.when_quiescent(where); }

  void lost(rank node, base::thread_context& context) noexcept override;
  void begin_poll() override { flush_reply_batches(); }
  void advance(base::thread_context& context) override;
  rank self() const noexcept { return self_; }
  std::uint32_t nodes() const noexcept { return job_ ? job_->nodes() : 1; }
  /// no_rank: an object of another job.
  rank home_of(object_id id) const noexcept {
    const auto node = static_cast<std::uint16_t>(id >> 48);
    const rank r = job_ ? job_->rank_of(node).value_or(no_rank) : node == node_ ? rank{0} : no_rank;
    return r != no_rank ? r : restored_home_node(node);
  }

 private:
  /// Kept for each object that this node made.
  struct home_record {
    bool is_moving = false;                                // and the destination has not confirmed the arrival
    rank moving_from = 0;                                  // while is_moving
    std::map<rank, std::uint32_t> pinned;                  // messages forwarded there that block migration, by node
    rank requested_destination = no_rank;                  // of a migration that waits until nothing is pinned
    std::vector<std::unique_ptr<remote_message>> blocked;  // messages that wait for that migration
    std::set<rank> visited;                                // nodes that may have an entry for the object
  };
  struct entry {
    std::unique_ptr<local_object> local;
    std::shared_ptr<departed_object> departed;  // kept until the destination has accepted the object
    std::unique_ptr<home_record> home;
    std::uint64_t messages_sent = 0;  // by this node
    std::uint64_t unanswered = 0, answered_below = 0;
    rank location = no_rank;      // last known; at the home node the current one or the destination
    std::uint32_t epoch = 0;      // of the migration to `location`; 0: unknown
    bool was_sent_there = false;  // this node sent the object to `location`
    bool was_here = false;
    rank awaited_from = no_rank;                          // the node that may still send the object here
    std::vector<std::unique_ptr<remote_message>> parked;  // until the object arrives
    failure_ref loss;                                     // permanent for this node
    std::string name;
  };
  struct alignas(64) shard {
    base::spin_lock lock;
    std::unordered_map<object_id, entry> all;
    mobile_statistics counters;
    std::uint64_t ended = 0;  // messages counted in counters.near or counters.far that have ended
    entry* find(object_id id) {
      const auto it = all.find(id);
      return it == all.end() ? nullptr : &it->second;
    }
  };

  /// Actions that must follow the unlocking of the shard.
  struct deferred_actions {
    message_list begin;
    std::vector<std::unique_ptr<remote_message>> deliver;
    std::vector<std::unique_ptr<remote_message>> discard;  // no handler here will reply to these
    struct forwarding {
      rank to;
      std::unique_ptr<remote_message> what;
      routing_state routing;
    };
    std::vector<forwarding> forward;
    struct notification {
      rank to;
      small_message what;
    };
    std::vector<notification> send;
    struct unhandled_message {
      message* what;
      failure_ref cause;         // null: success
      bool is_permanent = true;  // the object accepts no more messages of that node
    };
    std::vector<unhandled_message> complete;  // messages that no handler completes
    local_object* pack = nullptr;
    std::vector<std::shared_ptr<departed_object>> drop;
  };
  void run(deferred_actions& actions);

  struct decision {
    enum { accept, construct, park, hold_at_home, forward, return_to_sender, reject } what;
    rank to = no_rank;
    routing_state routing = {};
    failure_ref cause = {};
    bool is_location_known = false;  // the entry names the location
  };
  decision decide_route(const entry* e, const remote_message& msg) const;
  void deliver(std::unique_ptr<remote_message> msg);
  void accept_message(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void begin_construction(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void send_first(const std::shared_ptr<const remote_message>& msg);
  void send_as_decided(const decision& d, const std::shared_ptr<const remote_message>& msg);
  void resend(const remote_message& msg, rank avoid);
  /// Sends large arguments from the message object itself, which counts as this node's memory, or as a message.
  void forward(rank to, const std::shared_ptr<const remote_message>& msg, const routing_state& routing,
               dist::job::counting is = dist::job::counting::as_message);
  void record_forward(rank to, rank sender) {
    const std::scoped_lock lock(forwarded_lock_);
    forwarded_.emplace(to, sender);
  }

  void post_local(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, sched::task_record& r, void* thread);
  /// Begins the messages that may begin, and asks for or starts a due migration. Requires the lock.
  void advance_object(local_object& o, deferred_actions& actions);
  void begin_handler(message& msg, sched::thread_state& t);
  /// Runs outside of finishes: this node counts the handler for the runtime only; the sender counts it in its finish.
  void begin_remote_handler(remote_message& msg, sched::thread_state& t);
  /// The body of the task that handles a remote message.
  struct remote_handler_body {
    mobile_objects* all;
    remote_message* what;
    void operator()() const { all->run_remote_handler(std::unique_ptr<remote_message>(what)); }
  };
  void run_remote_handler(std::unique_ptr<remote_message> msg);
  void complete_unhandled(message& msg, failure_ref cause, bool is_permanent);
  void send_reply(rank to, reply_stage what, std::uint64_t request, const failure_ref& cause,
                  detail::parcel&& value = {}, bool is_permanent = false);
  /// Reports that the handler returned no value and that all it spawned has ended.
  void batch_reply(const remote_message& msg);
  void flush_reply_batches();
  void send_reply_batch(rank to, const reply_batcher::batch& all);
  void complete_request(reply_stage what, std::uint64_t request, rank by, failure_ref cause,
                        std::span<const std::byte> value, bool is_permanent = false);
  /// The same; the reply is aggregated with the replies to the other messages of a broadcast.
  void send_reply(remote_message& msg, reply_stage what, const failure_ref& cause, detail::parcel&& value = {},
                  bool is_permanent = false);
  void record_reply(object_id id, std::uint64_t number, failure_ref cause, bool is_permanent);
  /// Messages of this node to object `of`, or to all objects (0), that have no reply yet.
  std::vector<std::shared_ptr<const remote_message>> unanswered(object_id of = 0);
  /// Fails the unanswered messages of this node to that object.
  void fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number = 0);
  /// Fails all messages of the object. Requires the lock; the caller owns the object.
  static void fail_all_messages(local_object& o, entry& e, const failure_ref& cause, deferred_actions& actions);
  void construction_failed(local_object& o, const failure_ref& cause);

  // Broadcasts.
  void post_remote_elements(const std::shared_ptr<pending_broadcast>& m);
  void send_broadcast(const std::shared_ptr<pending_broadcast>& m, const std::vector<message_run>& each);
  /// Takes the runs of `parts`; those of `m` are not sent.
  void forward_broadcast(broadcast_message m, std::span<node_messages> parts, const std::shared_ptr<const void>& lent);
  bool try_begin_at_once(remote_message& msg);

  // Migration.
  void pack_object(local_object& o);
  void send_object(std::unique_ptr<local_object> o, detail::parcel&& content, std::uint32_t epoch);
  /// Makes the object local, again or for the first time. Returns the cause if this node had given the object up: the
  /// caller must then fail its unanswered messages to the object.
  failure_ref install_object(object_id id, entry& e, std::unique_ptr<local_object> o, deferred_actions& actions);
  void grant_migration(object_id id, entry& e, rank to, deferred_actions& actions);
  void deny_migration(object_id id, entry& e, deferred_actions& actions);
  static void release_blocked(home_record& h, deferred_actions& actions);
  void cancel_migration(local_object& o, deferred_actions& actions);
  void complete_migration(local_object& o, failure_ref cause, deferred_actions& actions);
  void migrate_at_random(local_object& o);
  /// At the home node: no node has the object any more.
  void declare_lost(object_id id, entry& e, failure_ref cause, deferred_actions& actions);

  // Node failures.
  void on_home_failed(entry& e, object_id id, rank node, deferred_actions& actions);
  void on_host_failed(entry& e, object_id id, rank node, deferred_actions& actions);

  template <class M>
  void receive(rank from, const M& m, base::thread_context&) {
    if (is_malformed(m)) return job_->refuse_malformed(M::message, from);
    on(from, m);
    ++protocol_messages_received_;
  }
  /// True if no node of this job sends such a message.
  template <class M>
  bool is_malformed(const M& m) const noexcept {
    if constexpr (requires { m.header; }) return is_malformed(m.header);
    if constexpr (requires { m.object; })
      if (m.object && home_of(m.object) == no_rank) return true;
    if constexpr (requires { m.cause; }) return !m.cause;
    return false;
  }
  bool is_malformed(const message_header& h) const noexcept {
    return h.from >= nodes() || h.target >= nodes() || h.action > message_action::migrate || h.pins_object > 1 ||
           h.unused || !h.object || home_of(h.object) == no_rank;
  }
  bool is_malformed(const broadcast_message& m) const noexcept;
  bool is_malformed(const migration_header& h) const noexcept { return !h.object || home_of(h.object) == no_rank; }
  bool is_malformed(const object_migration& m) const noexcept;
  static bool is_malformed(const reply_header& header) noexcept {
    return header.cause ? header.attachments.has_value() : header.is_permanent;
  }
  static bool is_malformed(const aggregated_replies& m) noexcept {
    return std::ranges::any_of(m.replies, [](const aggregated_reply& r) { return r.is_permanent && !r.cause; });
  }
  template <class... M>
  void register_structs() {
    (job_->on<&mobile_objects::receive<M>>(this), ...);
  }
  template <class... M>
  void register_alternatives(std::variant<M...>*) {
    register_structs<M...>();
  }
  /// This node handles what it sends to itself at once.
  template <dist::message_struct M>
  void send(rank to, const M& m) {
    if (to == self_) return on(self_, m);
    ++protocol_messages_sent_;
    job_->send(to, m);
  }
  void on(rank from, const executed_at& m);
  void on(rank from, const location_update& m);
  void on(rank from, const pinned_message_arrived& m);
  void on(rank from, const migration_request& m);
  void on(rank from, const migration_decision& m);
  void on(rank from, const migration_cancelled& m);
  void on(rank from, const cancellation_request& m);
  void on(rank from, const object_arrived& m);
  void on(rank from, const location_query& m);
  void on(rank from, const arrival_query& m);
  void on(rank from, const lost_in_transit& m);
  void on(rank from, const object_failed& m);
  void on(rank from, const object_lost& m);
  void on(rank from, const object_destroyed& m);
  void on(rank from, const resend_request& m);
  void on(rank from, const departure_query& m);
  void on(rank from, const not_departed& m);
  void on(rank from, const recall& m);
  void on(rank from, const already_departed& m);
  void on(rank from, const object_accepted& m);
  void on(rank from, const object_rejected& m);
  /// `location` no_rank: the object is lost wherever it was.
  void on_loss_at(rank location, object_id id, failure_ref cause);
  void on(rank from, const object_message& m);
  void on(rank from, const broadcast_message& m);
  void on(rank from, const value_reply& m) { on_reply(reply_stage::value, from, m.header, m.value); }
  void on(rank from, const value_and_end_reply& m) { on_reply(reply_stage::value_and_end, from, m.header, m.value); }
  void on(rank from, const end_reply& m) { on_reply(reply_stage::end, from, m.header, {}); }
  void on(rank from, const batched_replies& m);
  void on(rank from, const aggregated_replies& m);
  void on_reply(reply_stage what, rank from, const reply_header& header, std::span<const std::byte> value);
  struct arriving_object;
  /// The object is counted as received when it has been read.
  void on_object(rank from, const object_migration& m, base::thread_context& context);
  /// The body of the task that reads an object.
  struct read_task {
    mobile_objects* all;
    arriving_object* what;
    void operator()() const;
  };
  void read_object(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes);
  void accept_object(std::unique_ptr<arriving_object> arriving, failure_ref cause);
  void reject_object(rank from, const migration_header& head, const std::string& name, failure_ref cause);
  void reject_message(std::unique_ptr<remote_message> msg, failure_ref cause);
  void await_object(object_id id, entry& e, rank from, deferred_actions& actions);
  void report_lost_in_transit(object_id id, entry& e, rank from, deferred_actions& actions);
  static void release_parked(entry& e, deferred_actions& actions);
  /// Releases the messages that were parked for migrations up to epoch `until`.
  static void release_parked(entry& e, deferred_actions& actions, std::uint32_t until);
  void notify_visited(object_id id, const entry& e, deferred_actions& actions);
  void take_back_rejected();
  // This node lacks memory for an incoming message.
  void on_unreceivable_message(rank from, const object_message& prefix, failure_ref cause,
                               base::thread_context& context);
  void on_unreceivable_object(rank from, const object_migration& prefix, failure_ref cause,
                              base::thread_context& context);
  template <class Reply>
  void on_unreceivable_reply(rank from, const Reply& prefix, failure_ref cause, base::thread_context& context);
  failure_ref rejection_failure(object_id id, const std::string& name, const failure& cause) const;
  /// `messages` of the pinned ones are no longer on their way to `there`.
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
  /// Applies measuring and pause to an object that has become local. Requires the lock of its shard.
  void apply_node_state(local_object& o);
  /// The object whose handler is the body of a task, as the body names it.
  struct handler_location {
    const detail::local_object_base *local = nullptr, *remote = nullptr;
    rank from = 0;  // sender, of a remote one
    std::uint64_t request = 0;
  };
  handler_location read_handler_location(const void* body) const;

  dist::job* const job_;
  rank self_ = 0;
  std::uint16_t node_ = 0;
  object_settings settings_;
  std::atomic<std::uint64_t> ids_made_{0};
  std::atomic<std::uint64_t> random_draws_{0};
  std::atomic<bool> is_measuring_{false};
  std::atomic<double> seconds_per_tick_{0};                            // set before is_measuring_
  std::atomic<std::uint64_t> window_begin_{0}, last_window_begin_{0};  // when the windows began, in ticks
  std::atomic<std::uint64_t> remote_handlers_running_{0};              // for messages of other nodes
  std::atomic<std::uint64_t> extra_begun_{0}, extra_ended_{0};         // messages of this node that no shard counts
  std::atomic<std::uint64_t> protocol_messages_sent_{0}, protocol_messages_received_{0};  // to and from other nodes
  std::atomic<std::uint64_t> deferred_sends_{0};
  std::atomic<std::uint64_t> broadcast_messages_sent_{0};
  std::atomic<bool> is_paused_{false};
  std::atomic<rank> paused_by_{no_rank};
  std::atomic<rank> checkpoint_owner_{no_rank};
  std::atomic<const std::map<std::uint16_t, rank>*> restored_home_nodes_{nullptr};
  std::vector<std::unique_ptr<const std::map<std::uint16_t, rank>>> all_restored_home_nodes_;
  const std::unique_ptr<dist::out_of_band_parts> parts_;  // null without a job
  pending_replies pending_replies_;
  broadcast_table broadcasts_;
  const std::unique_ptr<reply_batcher> reply_batcher_;  // null without a job
  /// used inside a poll; wait until the transport has released their parts
  std::vector<object_rejected> returning_objects_;
  quiescence_detection quiescence_;
  periodic_balancing balancing_;
  base::spin_lock forwarded_lock_;
  std::set<std::pair<rank, rank>> forwarded_;  // (receiver, original sender) of every forward so far
  std::array<shard, 64> shards_;
};

}  // namespace stretto::mobiles
