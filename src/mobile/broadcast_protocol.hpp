// broadcast_protocol.hpp - broadcasts: one network message for all objects of a node, forwarding to other nodes, and
// aggregated replies.
//
// Threads     Any. on: inside a poll.
// Messages    One to each of up to 8 nodes, which forward to parts of the others.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mobile/broadcast_message.hpp"
#include "mobile/broadcast_table.hpp"
#include "mobile/handler_execution.hpp"
#include "mobile/message_router.hpp"

namespace stretto::mobiles {

class broadcast_protocol {
 public:
  /// `j` is null in a runtime without a job.
  broadcast_protocol(dist::job* j, const home_nodes& homes, object_directory& directory, message_counters& counters,
                     object_replies& replies, message_router& router, handler_execution& handlers,
                     action_runner& runner) noexcept
      : job_(j),
        homes_(homes),
        directory_(directory),
        counters_(counters),
        replies_(replies),
        router_(router),
        handlers_(handlers),
        runner_(runner) {}

  /// The body of the record must be `body`. Throws, if at all, before anything is sent.
  void post(sched::task_record& record, detail::broadcast_body& body);
  void on(rank from, const broadcast_message& all);

 private:
  void post_remote_elements(const std::shared_ptr<pending_broadcast>& m);
  void send(const std::shared_ptr<pending_broadcast>& m, const std::vector<message_run>& each);
  /// Takes the runs of `parts`; those of `m` are not sent.
  void forward(broadcast_message m, std::span<node_messages> parts, const std::shared_ptr<const void>& lent);
  /// The parts for other nodes.
  void forward_rest(const broadcast_message& all);
  reply_aggregation::share aggregate_replies(rank to, std::uint64_t argument_bytes);
  bool try_begin_at_once(remote_message& msg);

  dist::job* const job_;
  const home_nodes& homes_;
  object_directory& directory_;
  message_counters& counters_;
  object_replies& replies_;
  message_router& router_;
  handler_execution& handlers_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
