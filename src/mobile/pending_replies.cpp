#include "mobile/pending_replies.hpp"

#include <utility>

namespace stretto::mobiles {

using sched::task_record;

pending_replies::request pending_replies::request::take_value(rank node) {
  request with_value = std::move(*this);  // its scope is still needed
  record = nullptr;
  by = node;
  return with_value;
}

void pending_replies::add(task_record& record, detail::value_reader read, const std::shared_ptr<remote_message>& msg) {
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until the value comes
  all_.add({{&record, record.scope, read}, msg}, [&](dist::call_number n) { msg->request = base::value_of(n); });
}

std::shared_ptr<const remote_message> pending_replies::complete(reply_stage what, std::uint64_t number, rank by,
                                                                failure_ref cause, std::span<const std::byte> value,
                                                                base::thread_context& context) {
  auto part = all_.complete(dist::call_number{number}, what, cause, by);
  if (!part) return {};  // it has been given up, or the end has overtaken a large value
  if (part->ends_value) part->call.end_value(std::move(cause), value, context);
  if (part->ends_call) part->call.end_all(part->end_cause, context);
  return part->ends_value ? std::move(part->call.message) : nullptr;
}

std::vector<std::shared_ptr<const remote_message>> pending_replies::unanswered(object_id of) {
  std::vector<std::shared_ptr<const remote_message>> found;
  all_.for_each([&](dist::call_number, const request& r) {
    if (r.record && (of == object_id{} || r.message->object == of)) found.push_back(r.message);
  });
  return found;
}

std::vector<std::shared_ptr<const remote_message>> pending_replies::awaited() {
  std::vector<std::shared_ptr<const remote_message>> found;
  all_.for_each([&](dist::call_number, const request& r) {
    if (r.record && r.record->waiters()) found.push_back(r.message);
  });
  return found;
}

void pending_replies::on_node_failed(rank node, const failure_ref& loss, base::thread_context& context) {
  const auto ends = all_.fail_if([node](const request& r) { return !r.record && r.by == node; });
  for (const auto& one : ends) one.call.end_all(loss, context);
}

}  // namespace stretto::mobiles
