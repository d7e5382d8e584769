// handler_execution.hpp - begins and ends the handlers of messages: local ones are tasks that their sender has made,
// remote ones get a task here, and a reply.
//
// Threads     Any.
#pragma once

#include <cstdint>
#include <memory>

#include "mobile/object_removal.hpp"
#include "mobile/random_destinations.hpp"
#include "mobile/reply_sender.hpp"
#include "sched/handler_time.hpp"

namespace stretto::mobiles {

class handler_execution {
 public:
  /// `j` is null in a runtime without a job.
  handler_execution(dist::job* j, const home_nodes& homes, object_directory& directory, message_counters& counters,
                    const load_measurement& load, random_destinations& random, const local_objects& local,
                    reply_sender& replies, object_removal& removal, quiescence_detection& quiescence,
                    action_runner& runner) noexcept
      : job_(j),
        homes_(homes),
        directory_(directory),
        counters_(counters),
        load_(load),
        random_(random),
        local_(local),
        replies_(replies),
        removal_(removal),
        quiescence_(quiescence),
        runner_(runner) {}

  void begin(message& msg, sched::thread_state& t);
  /// Runs outside of finishes: this node counts the handler for the runtime only; the sender counts it in its finish.
  void begin_remote(remote_message& msg, sched::thread_state& t);
  void finish(local_object& o, bool has_read, detail::handler_span& span, message_origin of) noexcept;

  /// The object whose handler is the body of a task, as the body names it.
  struct location {
    const detail::local_object_base *local = nullptr, *remote = nullptr;
    rank from = 0;  // sender, of a remote one
    std::uint64_t request = 0;
  };
  /// The body may end meanwhile. Bytes of anything else name no object.
  location read_location(const void* body) const;

 private:
  /// The body of the task that handles a remote message.
  struct remote_body {
    handler_execution* all;
    remote_message* what;
    void operator()() const { all->run(std::unique_ptr<remote_message>(what)); }
  };
  struct owed_end;
  void run(std::unique_ptr<remote_message> msg);
  /// Calls the handler. Its value, or nothing and the cause of its failure.
  detail::parcel call(remote_message& msg, local_object& o, failure_ref& cause) const;
  void reply(remote_message& msg, bool is_over, const failure_ref& cause, detail::parcel&& value);
  /// Reports the end when all that the handler spawned has ended.
  void report_end(sched::finish_scope& scope, std::unique_ptr<remote_message> msg);
  /// Records the cost of a handler before its reply is sent: the sender may query it as soon as the reply arrives.
  void record_load(local_object& o, detail::handler_span& span) noexcept;
  void migrate_at_random(local_object& o);

  dist::job* const job_;
  const home_nodes& homes_;
  object_directory& directory_;
  message_counters& counters_;
  const load_measurement& load_;
  random_destinations& random_;
  const local_objects& local_;
  reply_sender& replies_;
  object_removal& removal_;
  quiescence_detection& quiescence_;
  action_runner& runner_;
};

}  // namespace stretto::mobiles
