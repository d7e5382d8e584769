// message_router.hpp - where a message to an object goes next, from any sender: to the local object, which accepts it
// in the order of its sender, to another node, or to a place where it waits.
//
// A message goes to the last known location of its object. After max_forwards forwards it goes through the home node,
// which blocks migration of the object until the message has arrived. Messages without a reply are sent again when a
// node fails that may have had them.
//
// Threads     Any. on: inside a poll.
// Source      Forwarding and lazy updates of location caches: Charm++'s location manager.
#pragma once

#include <cstdint>
#include <memory>

#include "mobile/forwarded_messages.hpp"
#include "mobile/shared_parts.hpp"

namespace stretto::mobiles {

class message_router : shared_parts {
 public:
  /// Forwards by last known location; at most two more hops follow, to the home node and from there.
  static constexpr unsigned max_forwards = 3;

  explicit message_router(const shared_parts& all) noexcept : shared_parts(all) {}

  struct decision {
    enum { accept, construct, park, hold_at_home, forward, return_to_sender, reject } what;
    rank to = no_rank;
    routing_state routing = {};
    failure_ref cause = {};
    // With reject: the sender's later messages fail, too. Not if the object was destroyed: the sender may have deleted
    // its entry, so that its numbers began anew, and wait for replies to messages that the object handled.
    bool is_permanent = true;
    bool is_location_known = false;  // the entry names the location
  };
  /// Requires the lock of the shard. `e` is the entry of the object, or null.
  decision decide_route(const object_entry* e, const remote_message& msg) const;
  /// The same without the lock.
  decision decide_route(const remote_message& msg);
  /// Does what the message needs here or sends it on.
  void deliver(std::unique_ptr<remote_message> msg);
  /// A message of this node, for which replies_ waits.
  void send_first(const std::shared_ptr<const remote_message>& msg) { send_as_decided(decide_route(*msg), msg); }
  void send_as_decided(const decision& d, const std::shared_ptr<const remote_message>& msg);
  /// Sends large arguments from the message object itself, which counts as this node's memory, or as a message.
  void forward(rank to, const std::shared_ptr<const remote_message>& msg, const routing_state& routing,
               dist::job::counting is = dist::job::counting::as_message);
  /// This node has no memory for the message: the object skips its number.
  void reject(std::unique_ptr<remote_message> msg, const failure& cause);
  forwarded_messages& forwarded() noexcept { return forwarded_; }

  /// The failed node had messages, to handle or to forward, and replies. Which ones is unknown: sends all again, or
  /// fails those that only that node could handle.
  void resend_after_loss_of(rank failed);

  void on(rank from, const object_message& m);
  void on(rank from, const location_update& m);
  void on(rank from, const location_query& m);
  void on(rank from, const resend_request& m);

 private:
  decision decide_at_home(const object_entry& e, const remote_message& msg) const;
  /// For a message that the object does not accept. `e` is the entry of the object, or null.
  void act(const decision& d, object_entry* e, object_directory::shard& s, std::unique_ptr<remote_message> msg,
           deferred_actions& actions);
  void park(object_entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void accept_message(object_entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void on_duplicate(local_object& o, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void begin_construction(object_entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions);
  void resend(const remote_message& msg, rank avoid);

  forwarded_messages forwarded_;
};

}  // namespace stretto::mobiles
