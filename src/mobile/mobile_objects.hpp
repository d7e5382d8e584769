// mobile_objects.hpp - one node's part in the protocol of the mobile objects of a job: makes the parts of the protocol
// from one another, registers their messages, and runs the actions that they defer.
//
// The node that made an object is its home node. It always knows where the object is: a node asks the home node before
// an object leaves it. Other nodes use the last location that they have heard of. A node that receives a message for an
// object that has left forwards it to the object's last known location and sends the sender a location update. After
// three forwards the message goes through the home node, which blocks migration of the object until the message has
// arrived. A message that arrives before its object is parked until the object arrives.
//
// Failures    When a node fails, every other node resends its unanswered messages through the home nodes. The object
//             drops duplicates by sequence number. For what happens to objects, see failure_recovery.hpp.
// Threads     Any thread of the runtime. One thread at a time works on a message, a migration or a reply. At most one
//             shard of the directory is locked at a time; the only other lock taken under it is that of the pending
//             replies.
// Messages    protocol_messages.hpp.
// Source      Forwarding and lazy updates of location caches: Charm++'s location manager. A home node that orders
//             migrations, and resending by sequence number, are ours.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "mobile/broadcast_protocol.hpp"
#include "mobile/failure_recovery.hpp"
#include "mobile/handler_execution.hpp"
#include "mobile/malformed_messages.hpp"
#include "mobile/message_sender.hpp"
#include "mobile/migration_arrival.hpp"
#include "mobile/migration_departure.hpp"
#include "mobile/migration_grants.hpp"
#include "mobile/object_checkpoints.hpp"
#include "mobile/object_creation.hpp"
#include "mobile/periodic_balancing.hpp"

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

class mobile_objects final : public dist::protocol, private action_runner {
 public:
  /// Call before job::start. `j` is null in a runtime without a job.
  explicit mobile_objects(dist::job* j);
  ~mobile_objects() override { clear(); }
  /// Destroys the local objects that are left. Requires that no task runs any more.
  void clear() noexcept { directory_.clear(); }
  /// The runtime starts: sets the node number in the ids of new objects, and the options.
  void start(std::uint16_t node, const object_settings& s) noexcept;

  home_nodes& homes() noexcept { return homes_; }
  object_creation& creation() noexcept { return creation_; }
  object_directory& directory() noexcept { return directory_; }
  object_checkpoints& checkpoints() noexcept { return checkpoints_; }

  /// Throws G01 after it has given the record back. `thread` null: looks the thread up; the record may have a priority.
  void post(sched::task_record& record, void* thread, object_id to) { sender_.post(record, thread, to); }
  /// The body of the record must be `body`. Throws, if at all, before anything is sent.
  void post_broadcast(sched::task_record& record, detail::broadcast_body& body) { broadcasts_.post(record, body); }
  void check(object_id to, const std::source_location& where, const char* called) const;
  /// A handler of a message of this node has returned.
  void finish_handler(local_object& o, bool has_read, detail::handler_span& span) noexcept {
    handlers_.finish(o, has_read, span, message_origin::this_node);
  }
  /// The destroy message of this node has been reached.
  void destroy_object(local_object& o) noexcept { removal_.destroy(o, message_origin::this_node); }

  /// Measures the cost of handlers from now on.
  void measure();
  /// load_measurement.hpp, for the calling thread's node.
  load_report load_report_of(object_id first, std::uint64_t count);
  load_report windowed_load_report(load_measurement::window_step what);

  /// Counts a message that has not been posted yet, and the end of a message that no handler runs.
  void count_begun() noexcept { counters_.message_begun(); }
  void count_ended() noexcept {
    counters_.message_ended();
    quiescence_.check_if_single_node();
  }
  /// Counts sends that wait for an event before they are posted.
  void count_deferred(int by) noexcept { counters_.count_deferred(by); }

  std::string name_of(object_id id) { return failures_.display_name(id, directory_.name_of(id)); }
  mobile_statistics statistics();
  /// Whether the record is a handler of a local object.
  bool is_handler(sched::task_record& r);
  /// For hang reports: who waits for local objects and for replies, called before the scheduler reports its tasks; and
  /// after that, which tasks are handlers of these objects.
  void add_wait_edges(base::wait_walk& walk);
  void add_handler_edges(base::wait_walk& walk);
  /// Triggers when no message is under way or being handled on any node.
  event quiescence(const std::source_location& where) { return quiescence_.when_quiescent(where); }

  void lost(rank node, base::thread_context& context) noexcept override;
  void begin_poll() override { outgoing_replies_.flush(); }
  void advance(base::thread_context& context) override;

 private:
  void run_all(deferred_actions& actions) override;

  /// The part of the protocol that handles the message.
  template <class M>
  void handle(rank from, const M& m);
  template <class M>
  void receive(rank from, const M& m, base::thread_context&) {
    if (is_malformed(m, homes_)) return job_->refuse_malformed(M::message, from);
    handle(from, m);
    counters_.protocol_message_received();
  }
  void receive_object(rank from, const object_migration& m, base::thread_context&);
  // This node lacks memory for an incoming message.
  void on_unreceivable_message(rank from, const object_message& prefix, failure_ref cause, base::thread_context&);
  void on_unreceivable_object(rank from, const object_migration& prefix, failure_ref cause, base::thread_context&);
  template <class Reply>
  void on_unreceivable_reply(rank from, const Reply& prefix, failure_ref cause, base::thread_context&);
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
  void send_small(rank to, const M& m) {
    if (to == homes_.self()) return handle(to, m);
    counters_.protocol_message_sent();
    job_->send(to, m);
  }

  dist::job* const job_;
  home_nodes homes_;
  object_directory directory_;
  message_counters counters_;
  checkpoint_pause pause_;
  load_measurement load_;
  random_destinations random_;
  const std::unique_ptr<dist::out_of_band_parts> parts_;  // null without a job
  quiescence_detection quiescence_;
  periodic_balancing balancing_;
  const object_failures failures_{job_, homes_};
  const local_objects local_{homes_, failures_, load_, pause_};
  object_replies replies_{homes_, directory_, local_, quiescence_, *this};
  reply_sender outgoing_replies_{job_, homes_, counters_, replies_, quiescence_};
  const shared_parts shared_{job_, homes_, directory_, failures_, counters_, local_, replies_, *this};
  message_router router_{shared_};
  message_sender sender_{job_, homes_, directory_, local_, replies_, router_, *this};
  object_creation creation_{job_, homes_, directory_, counters_, local_, replies_, router_};
  object_removal removal_{homes_, directory_, failures_, quiescence_, *this};
  handler_execution handlers_{job_,     homes_,      directory_, counters_, load_, random_, local_, outgoing_replies_,
                              removal_, quiescence_, *this};
  broadcast_protocol broadcasts_{job_, homes_, directory_, counters_, replies_, router_, handlers_, *this};
  migration_grants grants_{homes_, directory_, *this};
  migration_departure departure_{shared_, parts_.get()};
  migration_arrival arrival_{shared_, parts_.get()};
  failure_recovery recovery_{homes_, directory_, failures_, local_, grants_, replies_, *this};
  object_checkpoints checkpoints_{pause_, homes_, directory_, counters_, local_, replies_, *this};
};

}  // namespace stretto::mobiles
