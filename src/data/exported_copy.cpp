#include "data/exported_copy.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>

#include <utility>

#include "data/program_bytes.hpp"
#include "event/event_floor.hpp"
#include "event/when_ended.hpp"

namespace stretto::data {

event copy_exported(const attachments& all, attachment_number number, const box& part, const point& shift,
                    destination to, const std::source_location& where, base::thread_context& context) {
  const std::shared_ptr<attached_array> array = all.find(number);
  if (!array)
    throw error("G06", "the data of an object in a message is no longer available")
        .because("the reply to the message was sent, or the message was abandoned, before it was read")
        .remedy("read a message only once");
  const user_event done = user_event::create(where);
  array->export_elements(
      part.shifted(shift), where,
      [=, to = std::move(to)](const detail::instance_handle& in, std::shared_ptr<const void> lease,
                              const failure_ref& refused, base::thread_context& on) {
        if (refused) return detail::end_event(done, refused, on, where);
        to.name(
            [=](const detail::instance_handle& into, std::span<const event> after, const failure_ref& cause,
                base::thread_context& here) {
              if (cause) return detail::end_event(done, cause, here, where);
              try {
                std::vector<event> behind(after.begin(), after.end());
                if (const event e = ordered_unseen(here, where); e != event()) behind.push_back(e);
                const event copied = detail::copy_boxes(into, in, {&part, 1}, shift, after_range{behind}, where);
                // then it is released
                detail::when_ended(copied, here, [kept = lease](const failure*, base::thread_context&) {});
                done.trigger(copied, where);
              } catch (...) {
                detail::end_event(done, detail::make_failure(std::current_exception(), "copy", where), here, where);
              }
            },
            on);
      },
      context);
  return done;
}

}  // namespace stretto::data
