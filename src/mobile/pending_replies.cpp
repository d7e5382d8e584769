#include "mobile/pending_replies.hpp"

#include <mutex>
#include <utility>

namespace stretto::mobiles {

using sched::task_record;

void requests::add(task_record& record, detail::value_reader read, const std::shared_ptr<far_letter>& l) {
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until it comes
  const std::scoped_lock lock(lock_);
  l->request = all_.add(request{{&record, record.scope, read}, l});
}

std::shared_ptr<const far_letter> requests::take(outcome what, std::uint64_t number, rank by, failure_ref cause,
                                                 std::span<const std::byte> value, base::thread_context& context) {
  request r;
  bool is_over = what != outcome::value;
  {
    const std::scoped_lock lock(lock_);
    request* const kept = all_.find(number);
    if (!kept) return {};  // it was given up before
    if (what == outcome::end && kept->record) {  // a large value may be overtaken
      kept->is_over = true;
      kept->end_cause = std::move(cause);
      return {};
    }
    if (what != outcome::end && !kept->record) return {};
    is_over |= kept->is_over;
    r = std::move(*kept);  // its scope stays known
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
  return is_first ? std::move(r.sent) : nullptr;
}

std::vector<std::shared_ptr<const far_letter>> requests::unanswered(object_id of) {
  std::vector<std::shared_ptr<const far_letter>> found;
  const std::scoped_lock lock(lock_);
  all_.for_each([&](std::uint64_t, const request& r) {
    if (r.record && (!of || r.sent->object == of)) found.push_back(r.sent);
  });
  return found;
}

std::vector<std::shared_ptr<const far_letter>> requests::waited() {
  std::vector<std::shared_ptr<const far_letter>> found;
  const std::scoped_lock lock(lock_);
  all_.for_each([&](std::uint64_t, const request& r) {
    if (r.record && r.record->waiters()) found.push_back(r.sent);
  });
  return found;
}

void requests::lost(rank by, const failure_ref& loss, base::thread_context& context) {
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
