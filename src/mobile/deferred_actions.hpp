// deferred_actions.hpp - what must follow the unlocking of a shard: handlers begin, and messages are sent, delivered or
// completed.
//
// Each part of the protocol changes entries of the directory while their shard is locked, and collects these actions.
// It runs them after the unlocking, through an action_runner, which is all that it knows of the other parts.
//
// Threads     Values. A runner: any.
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

  /// Nothing is to run; what is dropped needs no runner.
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
  /// Ends a message that no handler ends. `is_permanent`: the object accepts no more messages of that node.
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

/// Delivers again the messages that were parked for migrations up to epoch `until`.
void release_parked(object_entry& e, deferred_actions& actions,
                    migration_epoch until = migration_epoch{std::numeric_limits<std::uint32_t>::max()});
/// Delivers again the messages that waited at the home node for a migration.
void release_blocked(home_record& h, deferred_actions& actions);

inline sched::thread_state& current_thread() {
  return static_cast<sched::thread_state&>(base::require_current("send"));
}

}  // namespace stretto::mobiles
