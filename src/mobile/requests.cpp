#include "mobile/requests.hpp"

#include <mutex>
#include <utility>

namespace stretto::mobiles {

using sched::task_record;

std::shared_ptr<const far_letter> requests::add(task_record& record, detail::value_reader read, std::unique_ptr<far_letter> l) {
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until it comes
  const std::scoped_lock lock(lock_);
  l->request = ++last_;
  std::shared_ptr<const far_letter> sent = std::move(l);
  all_.emplace(last_, request{{&record, record.scope, read}, sent});
  return sent;
}

std::shared_ptr<const far_letter> requests::take(outcome what, std::uint64_t number, rank by, failure_ref cause,
                                                 std::span<const std::byte> value, base::thread_context& context) {
  request r;
  {
    const std::scoped_lock lock(lock_);
    const auto found = all_.find(number);
    if (found == all_.end()) return {};  // it was given up before
    request& kept = found->second;
    if (what == outcome::end && kept.record) {  // a large value may be overtaken
      kept.is_over = true;
      kept.end_cause = std::move(cause);
      return {};
    }
    if (what != outcome::end && !kept.record) return {};
    r = kept;
    if (what == outcome::value && !r.is_over) {
      kept.record = nullptr;
      kept.sent = nullptr;
      kept.by = by;
    } else {
      all_.erase(found);
    }
  }
  const bool is_first = r.record != nullptr;
  if (is_first) {
    r.end_value(std::move(cause), value, context);
    cause = r.end_cause;
  }
  if (what != outcome::value || r.is_over) r.end_all(cause, context);
  return is_first ? r.sent : nullptr;
}

std::vector<std::shared_ptr<const far_letter>> requests::unanswered(object_id of) {
  std::vector<std::shared_ptr<const far_letter>> found;
  const std::scoped_lock lock(lock_);
  for (const auto& [number, r] : all_)
    if (r.record && (!of || r.sent->object == of)) found.push_back(r.sent);
  return found;
}

std::vector<std::shared_ptr<const far_letter>> requests::waited() {
  std::vector<std::shared_ptr<const far_letter>> found;
  const std::scoped_lock lock(lock_);
  for (const auto& [number, r] : all_)
    if (r.record && r.record->waiters()) found.push_back(r.sent);
  return found;
}

void requests::lost(rank by, const failure_ref& loss, base::thread_context& context) {
  std::vector<request> ends;
  {
    const std::scoped_lock lock(lock_);
    std::erase_if(all_, [&](auto& entry) {
      if (entry.second.record || entry.second.by != by) return false;
      ends.push_back(std::move(entry.second));
      return true;
    });
  }
  for (const request& r : ends) r.end_all(loss, context);
}

}  // namespace stretto::mobiles
