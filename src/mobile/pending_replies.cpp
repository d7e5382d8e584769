#include "mobile/pending_replies.hpp"

#include <mutex>
#include <utility>

namespace stretto::mobiles {

using sched::task_record;

void pending_replies::add(task_record& record, detail::value_reader read, const std::shared_ptr<remote_message>& msg) {
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until the value comes
  const std::scoped_lock lock(lock_);
  msg->request = all_.add(request{{&record, record.scope, read}, msg});
}

std::shared_ptr<const remote_message> pending_replies::complete(reply_stage what, std::uint64_t number, rank by,
                                                                failure_ref cause, std::span<const std::byte> value,
                                                                base::thread_context& context) {
  request r;
  bool is_over = what != reply_stage::value;
  {
    const std::scoped_lock lock(lock_);
    request* const kept = all_.find(number);
    if (!kept) return {};                            // it has been given up
    if (what == reply_stage::end && kept->record) {  // the end may overtake a large value
      kept->is_over = true;
      kept->end_cause = std::move(cause);
      return {};
    }
    if (what != reply_stage::end && !kept->record) return {};
    is_over |= kept->is_over;
    r = std::move(*kept);  // its scope is still needed
    kept->record = nullptr;
    kept->by = by;
    if (is_over) all_.erase(number);
  }
  const bool is_first = r.record != nullptr;
  if (is_first) {
    r.end_value(std::move(cause), value, context);
    cause = r.end_cause;
  }
  if (is_over) r.end_all(cause, context);
  return is_first ? std::move(r.message) : nullptr;
}

std::vector<std::shared_ptr<const remote_message>> pending_replies::unanswered(object_id of) {
  std::vector<std::shared_ptr<const remote_message>> found;
  const std::scoped_lock lock(lock_);
  all_.for_each([&](std::uint64_t, const request& r) {
    if (r.record && (of == object_id{} || r.message->object == of)) found.push_back(r.message);
  });
  return found;
}

std::vector<std::shared_ptr<const remote_message>> pending_replies::awaited() {
  std::vector<std::shared_ptr<const remote_message>> found;
  const std::scoped_lock lock(lock_);
  all_.for_each([&](std::uint64_t, const request& r) {
    if (r.record && r.record->waiters()) found.push_back(r.message);
  });
  return found;
}

void pending_replies::on_node_failed(rank by, const failure_ref& loss, base::thread_context& context) {
  std::vector<request> ends;
  {
    const std::scoped_lock lock(lock_);
    all_.for_each([&](std::uint64_t number, request& r) {
      if (r.record || r.by != by) return;
      ends.push_back(std::move(r));
      all_.erase(number);
    });
  }
  for (const request& r : ends) r.end_all(loss, context);
}

}  // namespace stretto::mobiles
