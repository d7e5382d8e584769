// deferred_actions.hpp - what a thread does after it has unlocked a shard of the object directory: it begins handlers,
// and sends, delivers or completes messages.
//
// Each part of the protocol changes entries of the directory while it holds the lock of their shard, and collects these
// actions. It then unlocks the shard and passes the actions to an action_runner, which is mobile_objects: an action may
// lock a shard itself, or belong to a part that is made later.
//
// Threads     deferred_actions: a value. action_runner: any thread of the runtime that has locked no shard.
// Cost        A virtual call where there is an action to run.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "mobile/local_object.hpp"
#include "mobile/messages.hpp"
#include "mobile/object_directory.hpp"
#include "mobile/protocol_messages.hpp"
#include "sched/scheduler.hpp"

namespace stretto::mobiles {

struct deferred_actions {
  message_list begin;                                    // accepted messages whose handlers may run now
  std::vector<std::unique_ptr<remote_message>> deliver;  // message_router::deliver chooses their next step
  std::vector<std::unique_ptr<remote_message>> discard;  // deleted; no handler here will reply to these
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
    message* what;             // the action owns it if it is remote
    failure_ref cause;         // null: success
    bool is_permanent = true;  // with a cause: the object accepts no more messages of the sender
  };
  std::vector<unhandled_message> complete;             // messages that no handler completes
  local_object* pack = nullptr;                        // an object that leaves: written and sent to its destination
  std::vector<std::shared_ptr<departed_object>> drop;  // objects that have left, released with this struct

  /// True if an action_runner has nothing to do.
  bool is_empty() const noexcept {
    return begin.is_empty() && send.empty() && forward.empty() && complete.empty() && deliver.empty() &&
           discard.empty() && !pack;
  }
};

class action_runner {
 public:
  /// Requires that no shard is locked.
  void run(deferred_actions& actions) {
    if (!actions.is_empty()) run_all(actions);
  }
  /// Sends one message; this node handles what it sends to itself at once.
  void send(rank to, small_message what) {
    deferred_actions actions;
    actions.send.push_back({to, std::move(what)});
    run_all(actions);
  }
  /// Ends a message that no handler ends (unhandled_message).
  void complete(message& msg, failure_ref cause, bool is_permanent) {
    deferred_actions actions;
    actions.complete.push_back({&msg, std::move(cause), is_permanent});
    run_all(actions);
  }

 protected:
  ~action_runner() = default;

 private:
  virtual void run_all(deferred_actions& actions) = 0;
};

/// Moves to `actions.deliver` the messages that wait here for the object to arrive by the migration `until` or an
/// earlier one.
void release_parked(object_entry& e, deferred_actions& actions,
                    migration_epoch until = migration_epoch{std::numeric_limits<std::uint32_t>::max()});
/// Moves to `actions.deliver` the messages that wait at the home node until a migration has ended.
void release_blocked(home_record& h, deferred_actions& actions);

/// The calling thread, which must belong to a runtime.
inline sched::thread_state& current_thread() {
  return static_cast<sched::thread_state&>(base::require_current("send"));
}

}  // namespace stretto::mobiles
