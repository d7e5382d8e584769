#include "dist/pending_call.hpp"

#include <exception>
#include <utility>

#include "event/event_floor.hpp"

namespace stretto::dist {

void pending_call::end_value(failure_ref cause, std::span<const std::byte> value, base::thread_context& context) const {
  if (!cause && read) {
    try {
      field_reader from(value);
      read(from, record->storage());
      record->flags |= sched::task_record::has_value;
    } catch (...) {
      cause = detail::make_failure(std::current_exception(), detail::describe_task(*record), record->where);
    }
  }
  if (cause) scope->failures.add(cause);
  record->complete(std::move(cause), context);
}

void pending_call::end_all(const failure_ref& cause, base::thread_context& context) const {
  if (cause) scope->failures.add(cause);
  sched::count_ended(static_cast<sched::thread_state&>(context), scope);
}

}  // namespace stretto::dist
