#include "mobile/requests.hpp"

#include <mutex>
#include <utility>

#include "event/event_floor.hpp"

namespace stretto::mobiles {

using sched::task_record;

std::shared_ptr<const far_letter> requests::add(task_record& record, detail::value_reader read, std::unique_ptr<far_letter> l) {
  record.flags &= static_cast<std::uint8_t>(~task_record::has_value);  // until it comes
  const std::scoped_lock lock(lock_);
  l->request = ++last_;
  std::shared_ptr<const far_letter> sent = std::move(l);
  all_.emplace(last_, request{&record, record.scope, read, sent});
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
    end_value(r, std::move(cause), value, context);
    cause = r.end_cause;
  }
  if (what != outcome::value || r.is_over) end_all(r, cause, context);
  return is_first ? r.sent : nullptr;
}

void requests::end_value(const request& r, failure_ref cause, std::span<const std::byte> value, base::thread_context& context) {
  if (!cause && r.read) {
    try {
      field_reader from(value);
      r.read(from, r.record->storage());
      r.record->flags |= task_record::has_value;
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(*r.record), r.record->where);
    }
  }
  if (cause) r.scope->failures.add(cause);
  r.record->complete(std::move(cause), context);
}

void requests::end_all(const request& r, const failure_ref& cause, base::thread_context& context) {
  if (cause) r.scope->failures.add(cause);
  sched::count_ended(static_cast<sched::thread_state&>(context), r.scope);
}

std::vector<std::shared_ptr<const far_letter>> requests::unanswered(object_id of) {
  std::vector<std::shared_ptr<const far_letter>> found;
  const std::scoped_lock lock(lock_);
  for (const auto& [number, r] : all_)
    if (r.record && (!of || r.sent->object == of)) found.push_back(r.sent);
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
  for (const request& r : ends) end_all(r, loss, context);
}

}  // namespace stretto::mobiles
