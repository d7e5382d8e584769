#include "mobile/reply_sender.hpp"

#include <optional>
#include <span>
#include <utility>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

namespace {

/// Larger replies are sent alone.
constexpr std::size_t max_aggregated_bytes = std::size_t{1} << 10;

}  // namespace

reply_sender::reply_sender(dist::job* j, const home_nodes& homes, message_counters& counters, object_replies& own,
                           quiescence_detection& quiescence)
    : job_(j),
      homes_(homes),
      counters_(counters),
      own_(own),
      quiescence_(quiescence),
      batcher_(j ? std::make_unique<reply_batcher>(*j) : nullptr) {}

void reply_sender::send(rank to, reply_stage what, std::uint64_t request, const failure_ref& cause,
                        detail::parcel&& value, bool is_permanent) {
  if (!request) return;
  if (to == homes_.self()) return own_.complete(what, request, homes_.self(), cause, value.bytes, is_permanent);
  const data::kept_attachments along = data::keep_for(to, std::move(value.along), current_thread());
  reply_header header{.request = request,
                      .cause = cause,
                      .is_permanent = is_permanent && cause,
                      .attachments = along != data::kept_attachments() && !cause ? std::optional(along) : std::nullopt};
  counters_.protocol_message_sent();
  const std::span<const std::byte> bytes = value.bytes;
  switch (what) {
    case reply_stage::value: return job_->send(to, value_reply{std::move(header), bytes}, std::move(value.bytes));
    case reply_stage::value_and_end:
      return job_->send(to, value_and_end_reply{std::move(header), bytes}, std::move(value.bytes));
    case reply_stage::end: return job_->send(to, end_reply{std::move(header)});
  }
}

void reply_sender::send(remote_message& msg, reply_stage what, const failure_ref& cause, detail::parcel&& value,
                        bool is_permanent) {
  if (!msg.reply_share || !value.along.empty() || value.bytes.size() > max_aggregated_bytes) {
    send(msg.from, what, msg.request, cause, std::move(value), is_permanent);
  } else {
    aggregated_reply reply{.request = msg.request, .what = what, .cause = cause, .is_permanent = is_permanent && cause};
    if (!cause) reply.value.all = value.bytes;
    const dist::message_environment environment = job_->environment(homes_.self());
    dist::writer w;
    dist::field_encoder fields(w, environment);
    fields.keeps_rest_apart = true;
    fields.put(reply);
    msg.reply_share.add(w.all(), fields.rest);
  }
  msg.reply_share.end();
}

void reply_sender::batch(const remote_message& msg) {
  if (!msg.request) return;
  if (msg.from == homes_.self() || current_thread().current_id)
    return send(msg.from, reply_stage::value_and_end, msg.request, {});  // a trace needs the task of each reply
  reply_batcher::batch all;
  switch (batcher_->add(msg.from, msg.request, all)) {
    case reply_batcher::add_result::send_now: return send(msg.from, reply_stage::value_and_end, msg.request, {});
    case reply_batcher::add_result::opened_batch: counters_.protocol_message_sent(); return;  // counts the whole batch
    case reply_batcher::add_result::joined_batch: return;
    case reply_batcher::add_result::filled_batch: send_batch(msg.from, all); return batcher_->batch_sent();
  }
}

void reply_sender::complete_unhandled(message& msg, failure_ref cause, bool is_permanent) {
  if (msg.is_remote) {
    const std::unique_ptr<remote_message> remote(&static_cast<remote_message&>(msg));
    if (cause)
      cause = failure_ref::adopt(new failure(
          *cause.get(), remote->name.empty() ? "message" : "message \"" + remote->name + '"', remote->where));
    return send(*remote, reply_stage::value_and_end, cause, {}, is_permanent && cause);
  }
  counters_.message_ended();
  quiescence_.check_if_single_node();
  thread_state& t = current_thread();
  task_record& r = record_of(msg);
  if (cause)
    return sched::skip_task(t, r, failure_ref::adopt(new failure(*cause.get(), detail::describe_task(r), r.where)));
  sched::finish_scope* const scope = r.scope;
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  r.complete(t);
  sched::count_ended(t, scope);
}

}  // namespace stretto::mobiles
