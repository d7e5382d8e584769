#include "mobile/object_failures.hpp"

#include <stretto/error.hpp>

#include <utility>

#include "event/event_floor.hpp"
#include "mobile/object_directory.hpp"

namespace stretto::mobiles {

std::string object_failures::display_name(object_id id, const std::string& name) const {
  const auto count = std::to_string(count_of(id));
  const rank made_on = homes_.home_of(id);
  const std::string home = job_ && made_on && made_on != no_rank ? job_->name_of(made_on) + ":" : std::string();
  return home + "M" + count + (name.empty() ? std::string() : " \"" + name + '"');
}

failure_ref object_failures::destroyed(object_id id, const std::string& name) const {
  const std::string who = display_name(id, name);
  return detail::make_failure(
      std::make_exception_ptr(
          error("G02", who + " has been destroyed")
              .because("this request arrived after destroy(), which does not wait for messages of other nodes")
              .remedy("destroy an object only after all messages to it have been handled")),
      who, {});
}

failure_ref object_failures::of_node_loss(object_id id, const object_entry* e, rank node, const char* role) const {
  const std::string who = display_name(id, e ? e->name : std::string());
  error what("G03", who + " is lost");
  what.because("it " + std::string(role) + " node " + job_->name_of(node) + ", which has failed")
      .fact("reported by", "node " + job_->name_of(homes_.self()));
  if (homes_.is_lost(node)) what.caused_by(job_->loss_of(node)->unobserved_exception());
  return detail::make_failure(std::make_exception_ptr(std::move(what)), who, {});
}

failure_ref object_failures::of_object(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, display_name(id, name), cause.where()));
}

failure_ref object_failures::of_rejected(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, "what was sent to " + display_name(id, name), {}));
}

}  // namespace stretto::mobiles
