// replies.cpp - replies to messages, and the futures of this node that they complete.
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "data/other_nodes.hpp"
#include "dist/pending_call.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::send_reply(rank to, reply_stage what, std::uint64_t request, const failure_ref& cause,
                                detail::parcel&& value, bool is_permanent) {
  if (!request) return;
  if (to == self_) return complete_request(what, request, self_, cause, value.bytes, is_permanent);
  const std::uint64_t along = data::keep_for(to, std::move(value.along), current_thread());
  reply_header header{.request = request,
                      .cause = cause,
                      .is_permanent = is_permanent && cause,
                      .attachments = along && !cause ? std::optional(along) : std::nullopt};
  ++protocol_messages_sent_;
  const std::span<const std::byte> bytes = value.bytes;
  switch (what) {
    case reply_stage::value: return job_->send(to, value_reply{std::move(header), bytes}, std::move(value.bytes));
    case reply_stage::value_and_end:
      return job_->send(to, value_and_end_reply{std::move(header), bytes}, std::move(value.bytes));
    case reply_stage::end: return job_->send(to, end_reply{std::move(header)});
  }
}

void mobile_objects::batch_reply(const remote_message& msg) {
  if (!msg.request) return;
  if (msg.from == self_ || current_thread().current_id)
    return send_reply(msg.from, reply_stage::value_and_end, msg.request, {});  // a trace needs the task of each reply
  reply_batcher::batch all;
  switch (reply_batcher_->add(msg.from, msg.request, all)) {
    case reply_batcher::add_result::send_now: return send_reply(msg.from, reply_stage::value_and_end, msg.request, {});
    case reply_batcher::add_result::opened_batch: ++protocol_messages_sent_; return;  // counts the whole batch
    case reply_batcher::add_result::joined_batch: return;
    case reply_batcher::add_result::filled_batch: send_reply_batch(msg.from, all); return reply_batcher_->batch_sent();
  }
}

void mobile_objects::flush_reply_batches() {
  reply_batcher_->flush([this](rank to, const reply_batcher::batch& all) { send_reply_batch(to, all); });
}

void mobile_objects::send_reply_batch(rank to, const reply_batcher::batch& all) {
  job_->send(to, batched_replies{all});
}

void mobile_objects::complete_request(reply_stage what, std::uint64_t request, rank by, failure_ref cause,
                                      std::span<const std::byte> value, bool is_permanent) {
  if (is_broadcast_request(request)) {
    if (const auto a = broadcasts_.complete(what, request, by, cause, value, current_thread()))
      record_reply(a->object, a->number, std::move(cause), is_permanent);
  } else if (const auto a = pending_replies_.complete(what, request, by, cause, value, current_thread())) {
    record_reply(a->object, a->number, std::move(cause), is_permanent);
  }
}

void mobile_objects::record_reply(object_id id, std::uint64_t number, failure_ref cause, bool is_permanent) {
  shard& s = shard_of(id);
  const auto count = [&](entry* e) {
    ++s.ended;
    // While the object is local, local messages with lower numbers may wait.
    if (e && e->unanswered && --e->unanswered == 0 && !e->local) e->answered_below = e->messages_sent;
  };
  if (!is_permanent) {
    {
      const std::scoped_lock lock(s.lock);
      count(s.find(id));
    }
    return quiescence_.check_if_single_node();
  }
  deferred_actions actions;
  failure_ref now_lost;
  {
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    // Otherwise later messages would wait for this sequence number.
    if (e && e->local) {
      e->local->skip(e->local->local_sender(), number);
      advance_object(*e->local, actions);
    } else if (e && !e->loss) {
      e->loss = now_lost = std::move(cause);
    }
    count(e);
  }
  quiescence_.check_if_single_node();
  run(actions);
  if (now_lost) fail_unanswered(id, now_lost, number);
}

void mobile_objects::fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number) {
  for (const auto& msg : unanswered(id))
    if (msg->number >= from_number) complete_request(reply_stage::value_and_end, msg->request, self_, cause, {});
}

void mobile_objects::on_reply(reply_stage what, rank from, const reply_header& header,
                              std::span<const std::byte> value) {
  complete_request(what, header.request, from, header.cause, header.cause ? std::span<const std::byte>() : value,
                   header.is_permanent);
  data::acknowledge_message(from, header.attachments.value_or(0), current_thread());
}

void mobile_objects::on(rank from, const batched_replies& m) {
  for (const std::uint64_t request : m.requests.all())
    complete_request(reply_stage::value_and_end, request, from, {}, {});
}

void mobile_objects::on(rank, const executed_at& m) {
  if (is_lost(m.node)) complete_request(reply_stage::value_and_end, m.request, m.node, job_->loss_of(m.node), {});
}

}  // namespace stretto::mobiles
