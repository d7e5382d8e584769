// pending_replies.hpp - the messages of this node to remote objects that wait for a reply: the task records of their
// futures, and the messages themselves, for a resend.
//
// Threads     Any. This lock is the last in the lock order: add() may be called while an object's shard is locked.
// Invariants  (1) Each request ends once: by its reply or by a node failure (dist/remote_calls.hpp).
// Source      Replies in two steps, the value and the end of all that the handler spawned: dist/remote_tasks.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "dist/pending_call.hpp"
#include "dist/remote_calls.hpp"
#include "mobile/messages.hpp"

namespace stretto::mobiles {

using reply_stage = dist::reply_stage;

class pending_replies {
 public:
  /// Waits for the reply to `msg` in `record`, whose body has been dropped, and sets the request number of `msg`. The
  /// finish scope of the record has already counted it.
  void add(sched::task_record& record, detail::value_reader read, const std::shared_ptr<remote_message>& msg);

  /// Processes a reply of node `by`. Returns the message if this was its first reply: it was handled, or never will be.
  std::shared_ptr<const remote_message> complete(reply_stage what, std::uint64_t request, rank by, failure_ref cause,
                                                 std::span<const std::byte> value, base::thread_context& context);

  /// Messages without a reply to object `of`, or to all objects (0), in the order of add().
  std::vector<std::shared_ptr<const remote_message>> unanswered(object_id of = {});
  /// Messages whose end something waits for.
  std::vector<std::shared_ptr<const remote_message>> awaited();
  /// The node has failed: ends the requests whose value it has sent and whose end it will not report.
  void on_node_failed(rank node, const failure_ref& loss, base::thread_context& context);
  /// For hang reports: what waits for replies to node `self`.
  void add_wait_edges(rank self, base::wait_walk& walk);

 private:
  struct request : dist::pending_call {
    std::shared_ptr<const remote_message> message;
    rank by = no_rank;  // the node that replied with the value
    request take_value(rank node);
  };

  dist::remote_calls<request> all_;  // by request number
};

}  // namespace stretto::mobiles
