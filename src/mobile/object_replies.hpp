// object_replies.hpp - the replies to messages of this node: which messages wait for one, the futures that replies
// complete, and the counts in the directory.
//
// A reply that says that the object accepts no more messages of this node also fails the later messages to the object.
//
// Threads     Any. on: inside a poll.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "mobile/broadcast_table.hpp"
#include "mobile/deferred_actions.hpp"
#include "mobile/local_objects.hpp"
#include "mobile/pending_replies.hpp"
#include "mobile/protocol_messages.hpp"
#include "mobile/quiescence_detection.hpp"

namespace stretto::mobiles {

class object_replies {
 public:
  object_replies(const home_nodes& homes, object_directory& directory, const local_objects& local,
                 quiescence_detection& quiescence, action_runner& runner) noexcept
      : homes_(homes), directory_(directory), local_(local), quiescence_(quiescence), runner_(runner) {}

  /// These wait for a reply from now on (pending_replies.hpp, broadcast_table.hpp).
  void add(sched::task_record& record, detail::value_reader read, const std::shared_ptr<remote_message>& msg) {
    pending_.add(record, read, msg);
  }
  void add(const std::shared_ptr<pending_broadcast>& m) { broadcasts_.add(m); }

  /// Messages of this node to object `of`, or to all objects (0), that have no reply yet.
  std::vector<std::shared_ptr<const remote_message>> unanswered(object_id of = {});
  /// Those whose end something waits for.
  std::vector<std::shared_ptr<const remote_message>> awaited();
  /// Fails the unanswered messages of this node to that object.
  void fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number = 0);

  /// Processes a reply of node `by`. `is_permanent`: the object accepts no more messages of this node.
  void complete(reply_stage what, std::uint64_t request, rank by, failure_ref cause, std::span<const std::byte> value,
                bool is_permanent = false);
  void on(rank from, const value_reply& m) { complete_received(reply_stage::value, from, m.header, m.value); }
  void on(rank from, const value_and_end_reply& m) {
    complete_received(reply_stage::value_and_end, from, m.header, m.value);
  }
  void on(rank from, const end_reply& m) { complete_received(reply_stage::end, from, m.header, {}); }
  void on(rank from, const batched_replies& m);
  void on(rank from, const aggregated_replies& m);
  void on(rank from, const executed_at& m);
  /// This node lacks memory for a reply.
  void on_unreceivable(reply_stage what, rank from, const reply_header& header, failure_ref cause);
  void on_node_failed(rank node, base::thread_context& context);

  /// For hang reports: who waits for replies.
  void add_wait_edges(base::wait_walk& walk) {
    pending_.add_wait_edges(homes_.self(), walk);
    broadcasts_.add_wait_edges(homes_.self(), walk);
  }

 private:
  void complete_received(reply_stage what, rank from, const reply_header& header, std::span<const std::byte> value);
  /// A message has its first reply.
  void record(object_id id, std::uint64_t number, failure_ref cause, bool is_permanent);
  void record_permanent(object_id id, std::uint64_t number, failure_ref cause);

  const home_nodes& homes_;
  object_directory& directory_;
  const local_objects& local_;
  quiescence_detection& quiescence_;
  action_runner& runner_;
  pending_replies pending_;
  broadcast_table broadcasts_;
};

}  // namespace stretto::mobiles
