// reply_sender.hpp - replies of this node: each by itself, in a batch with others to the same node, or with the other
// replies to one broadcast.
//
// Threads     Any. flush: also inside a poll.
#pragma once

#include <cstdint>
#include <memory>

#include "mobile/message_counters.hpp"
#include "mobile/object_replies.hpp"
#include "mobile/reply_batcher.hpp"

namespace stretto::mobiles {

class reply_sender {
 public:
  /// `j` is null in a runtime without a job.
  reply_sender(dist::job* j, const home_nodes& homes, message_counters& counters, object_replies& own,
               quiescence_detection& quiescence);
  /// The runtime starts. `always_batch`: whatever the time.
  void start(bool always_batch) {
    if (batcher_) batcher_->start(always_batch);
  }

  void send(rank to, reply_stage what, std::uint64_t request, const failure_ref& cause, detail::parcel&& value = {},
            bool is_permanent = false);
  /// The same; the reply is aggregated with the replies to the other messages of a broadcast.
  void send(remote_message& msg, reply_stage what, const failure_ref& cause, detail::parcel&& value = {},
            bool is_permanent = false);
  /// Reports that the handler returned no value and that all it spawned has ended.
  void batch(const remote_message& msg);
  /// Sends the open batches.
  void flush() {
    if (batcher_) batcher_->flush([this](rank to, const reply_batcher::batch& all) { send_batch(to, all); });
  }
  /// Ends a message that no handler ends.
  void complete_unhandled(message& msg, failure_ref cause, bool is_permanent);
  void on_node_failed(rank node) noexcept {
    if (batcher_) batcher_->on_node_failed(node);
  }

 private:
  void send_batch(rank to, const reply_batcher::batch& all) { job_->send(to, batched_replies{all}); }

  dist::job* const job_;
  const home_nodes& homes_;
  message_counters& counters_;
  object_replies& own_;  // of messages that this node has sent to itself
  quiescence_detection& quiescence_;
  const std::unique_ptr<reply_batcher> batcher_;  // null without a job
};

}  // namespace stretto::mobiles
