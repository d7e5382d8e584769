#include "mobile/object_replies.hpp"

#include <mutex>
#include <utility>

#include "data/other_nodes.hpp"

namespace stretto::mobiles {

std::vector<std::shared_ptr<const remote_message>> object_replies::unanswered(object_id of) {
  auto all = pending_.unanswered(of);
  broadcasts_.add_unanswered(of, all);
  return all;
}

std::vector<std::shared_ptr<const remote_message>> object_replies::awaited() {
  auto all = pending_.awaited();
  broadcasts_.add_unanswered({}, all);
  return all;
}

void object_replies::fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number) {
  for (const auto& msg : unanswered(id))
    if (msg->number >= from_number) complete(reply_stage::value_and_end, msg->request, homes_.self(), cause, {});
}

void object_replies::complete(reply_stage what, std::uint64_t request, rank by, failure_ref cause,
                              std::span<const std::byte> value, bool is_permanent) {
  if (is_broadcast_request(request)) {
    if (const auto a = broadcasts_.complete(what, request, by, cause, value, current_thread()))
      record(a->object, a->number, std::move(cause), is_permanent);
  } else if (const auto a = pending_.complete(what, request, by, cause, value, current_thread())) {
    record(a->object, a->number, std::move(cause), is_permanent);
  }
}

void object_replies::record(object_id id, std::uint64_t number, failure_ref cause, bool is_permanent) {
  if (is_permanent) return record_permanent(id, number, std::move(cause));
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    ++s.ended;
    if (object_entry* const e = s.find(id)) e->count_reply();
  }
  quiescence_.check_if_single_node();
}

void object_replies::record_permanent(object_id id, std::uint64_t number, failure_ref cause) {
  deferred_actions actions;
  failure_ref now_lost;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    // Otherwise later messages would wait for this sequence number.
    if (e && e->local) {
      e->local->skip(e->local->local_sender(), number);
      local_.advance(*e->local, actions);
    } else if (e && !e->loss) {
      e->loss = now_lost = std::move(cause);
    }
    ++s.ended;
    if (e) e->count_reply();
  }
  quiescence_.check_if_single_node();
  runner_.run(actions);
  if (now_lost) fail_unanswered(id, now_lost, number);
}

void object_replies::complete_received(reply_stage what, rank from, const reply_header& header,
                                       std::span<const std::byte> value) {
  complete(what, header.request, from, header.cause, header.cause ? std::span<const std::byte>() : value,
           header.is_permanent);
  data::acknowledge_message(from, header.attachments.value_or(data::kept_attachments()), current_thread());
}

void object_replies::on(rank from, const batched_replies& m) {
  for (const std::uint64_t request : m.requests.all()) complete(reply_stage::value_and_end, request, from, {}, {});
}

void object_replies::on(rank from, const aggregated_replies& m) {
  for (const aggregated_reply& r : m.replies) complete(r.what, r.request, from, r.cause, r.value.all, r.is_permanent);
}

void object_replies::on(rank, const executed_at& m) {
  if (homes_.is_lost(m.node)) complete(reply_stage::value_and_end, m.request, m.node, homes_.loss_of(m.node), {});
}

void object_replies::on_unreceivable(reply_stage what, rank from, const reply_header& header, failure_ref cause) {
  complete(what, header.request, from, std::move(cause), {});
  if (header.attachments) data::acknowledge_message(from, *header.attachments, current_thread());
}

void object_replies::on_node_failed(rank node, base::thread_context& context) {
  const failure_ref loss = homes_.loss_of(node);
  pending_.on_node_failed(node, loss, context);
  broadcasts_.on_node_failed(node, loss, context);
}

}  // namespace stretto::mobiles
