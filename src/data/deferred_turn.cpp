#include "data/deferred_turn.hpp"

#include "event/event_floor.hpp"

namespace stretto::data {

deferred_turn::deferred_turn(const detail::instance_handle& of, const box& where, event begun,
                             const std::source_location& line) noexcept
    : update_queue::turn(where,
                         [](update_queue::turn& self, base::thread_context& context) noexcept {
                           static_cast<deferred_turn&>(self).begin(context);
                         }),
      record_(*of.record),
      begun_(begun),
      line_(line),
      begin_(
          [](deferred& self, failure_ref cause, base::thread_context& context) noexcept {
            deferred_turn& mine = static_cast<step&>(self).owner;
            if (cause) return detail::end_event(mine.begun_, std::move(cause), context, mine.line_);
            if (mine.record_.updates.begin(mine)) mine.begin(context);
          },
          *this),
      end_(
          [](deferred& self, failure_ref, base::thread_context& context) noexcept {
            deferred_turn* const mine = &static_cast<step&>(self).owner;
            if (mine->has_begun_) mine->record_.updates.end(*mine, context);
            delete mine;
          },
          *this) {}

void deferred_turn::begin(base::thread_context& context) noexcept {
  has_begun_ = true;
  detail::end_event(begun_, {}, context, line_);
}

deferred_turn& deferred_turn::ask(const detail::instance_handle& of, const box& where, const preconditions& after,
                                  base::thread_context& context, const std::source_location& line) {
  auto* const made = new deferred_turn(of, where, detail::make_event(context, line), line);
  made->begin_.arm(after, {}, context);
  return *made;
}

void deferred_turn::end_after(event done, base::thread_context& context) {
  end_.arm(std::span<const event>(&done, 1), context);
}

}  // namespace stretto::data
