// object_serialization.cpp - objects as arguments of messages. Small data travels in the message; otherwise the message
// contains a reference, through which the receiver fetches the data.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/object.hpp>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/data_state.hpp"
#include "data/exported_copy.hpp"
#include "data/handle.hpp"
#include "data/layout.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "objects/object_checks.hpp"
#include "objects/object_serialization.hpp"
#include "objects/replica_memory.hpp"
#include "objects/storage.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

namespace {

/// How an object is encoded: as a null handle; with small data; as a reference; with all data, for checkpoints.
enum class form : std::uint8_t { null, in_message, reference, with_data };

/// The elements that will have been written when all submitted tasks have ended.
region elements_after_all_tasks(const object_record& o) {
  region all = o.replicas.written();
  if (o.unissued == 0) return all;
  for (const task* const t : o.state->tasks)
    for (const object_use& u : t->uses)
      if (u.object.get() == &o && u.how.changes_content()) all |= u.where;
  return all;
}

}  // namespace

const std::byte* current_data(object_record& o, const box& part) {
  if (o.unissued > 0 || part.is_empty()) return nullptr;
  std::vector<data::token> tokens;
  for (const auto& r : o.replicas.replicas(o.memory_for(o.state->execution_places.front()))) {
    if (r.accumulates || !r.where.contains(part) || !o.replicas.is_valid(r.id, part)) continue;
    o.replicas.waits_of(r.id, part, data::in_use, tokens);
    base::thread_context& context = base::require_current("send");
    for (const data::token t : tokens) {
      const dependency d(event::from_raw(t));
      if (t && (!detail::has_ended(d, context) || detail::cause_of(d, context))) return nullptr;
    }
    data::layout shape;
    const std::byte* const first = detail::open_instance(o.storage[r.id].instance, shape, o.created);
    return data::is_dense(shape, part) ? first + shape.offset_of(part.min()) : nullptr;
  }
  return nullptr;
}

const execution_place& main_execution_place(object_record& o, const box& part) {
  const objects_state& s = *o.state;
  const auto there = [&](const execution_place& at) { return o.valid_for(at, part); };
  const execution_place* best = &s.execution_places.front();
  for (const execution_place& at : s.execution_places)
    if (there(at) > there(*best)) best = &at;
  return *best;
}

std::uint32_t execution_place_for(const objects_state& s, std::string_view backend, std::uint32_t index,
                                  std::uint64_t bytes) {
  const auto is_like = [&](const execution_place& at) {
    return at.device && !at.is_lost && at.view.kind == backend && at.space->capacity() >= bytes;
  };
  if (index < s.execution_places.size() && is_like(s.execution_places[index])) return index;
  for (const execution_place& at : s.execution_places)
    if (is_like(at)) return at.view.index;
  return s.execution_places.front().view.index;
}

task_pointer new_transfer(objects_state& s, object_transfer&& e, object_record& about, const box& part, access how) {
  task_pointer t = task::make(s);
  t->where = about.created;
  t->given_name = "content";
  t->transfer = std::make_unique<object_transfer>(std::move(e));
  t->uses.push_back({used_object(about), part, usage_of(how)});
  return t;
}

namespace {

/// An object that is attached to a message.
class attached_object final : public data::attached_array {
 public:
  attached_object(detail::object_handle&& o, bool may_be_read_twice) noexcept
      : object_(std::move(o)), may_be_read_twice_(may_be_read_twice) {}

  void export_elements(const box& part, const std::source_location& where, on_exported then,
                       base::thread_context& context) override {
    objects_state& s = *object_.get()->state;
    const objects_lock in(s, context);
    task_pointer t = new_transfer(s, {.is = object_transfer::kind::export_elements, .on_exported = std::move(then)},
                                  *object_.get(), part, access::in);
    t->where = where;
    submit(t.release(), {}, {}, context);
  }
  /// For a reader on the same node: the object itself, or a copy if the message may be read again.
  detail::object_handle take() {
    if (may_be_read_twice_) return detail::copy_of_object(object_);
    return std::move(object_);
  }

 private:
  detail::object_handle object_;
  const bool may_be_read_twice_;
};

}  // namespace

incoming_data::~incoming_data() {
  if (is_held_ && left_ > 0 && here_.runtime && all_.others) all_.others->let_go(name_);
}

event incoming_data::fetch(const box& part, data::destination to, const std::source_location& where,
                           base::thread_context& context) {
  const bool is_first = !std::exchange(is_held_, true), is_last = --left_ == 0;
  if (name_.node == context.runtime->node)
    return data::copy_exported(all_, name_.number, part, shift_, std::move(to), where, context);
  return all_.others->fetch(name_, part, std::move(to), {.is_first = is_first, .is_last = is_last, .shift = shift_},
                            where, context);
}

void incoming_data::hold() {
  if (!std::exchange(is_held_, true)) all_.others->hold(name_);
}

namespace {

/// Runs a store transfer: copies its bytes into the instance.
event store(const task& t, std::span<const event> waits) {
  const object_use& u = t.uses.front();
  const detail::instance_handle came =
      external_instance(*u.object.get(), u.where, const_cast<std::byte*>(t.transfer->bytes->data()), t.where);
  const event done = detail::copy_boxes(u.instance, came, {&u.where, 1}, {}, after_range{waits}, t.where);
  detail::destroy_instance(came, after(done), t.where);
  return done;
}

/// Runs a copy transfer: from a part of one object to a part of another, or of the same object.
event copy(const task& t, std::span<const event> waits) {
  const object_use &from = t.uses.front(), &to = t.uses.back();
  return detail::copy_boxes(to.instance, from.instance, {&to.where, 1}, from.where.min() - to.where.min(),
                            after_range{waits}, t.where);
}

}  // namespace

bool is_requested(const task& t) noexcept { return t.transfer && t.transfer->as; }

void request_early(task& t, base::thread_context& context) {
  const object_use& u = t.uses.front();
  t.transfer->as = std::make_shared<task_reference>(&t);
  t.computed = t.transfer->from->fetch(u.where,
                                       data::destination([s = u.object.get()->state, as = t.transfer->as](
                                                             data::destination::named then, base::thread_context& on) {
                                         if (s->runtime != on.runtime) return;
                                         const objects_lock in(*s, on);
                                         if (!as->is) return;  // it has ended, and with it the request
                                         as->is->transfer->names = std::move(then);
                                         issue_next(*as->is);
                                       }),
                                       t.where, context);
  t.notification.handle = on_task_ended;
  post_when_ended(t.computed, t.notification, context);
}

event start_transfer(task& t, std::span<const event> waits, base::thread_context& context) {
  const object_use& u = t.uses.front();
  switch (t.transfer->is) {
    case object_transfer::kind::export_elements: return detail::make_event(context, t.where);
    case object_transfer::kind::fetch:
      if (is_requested(t)) return std::exchange(t.transfer->names, {})(u.instance, waits, {}, context), t.computed;
      return u.instance.record
                 ? t.transfer->from->fetch(u.where, data::destination(u.instance, waits), t.where, context)
                 : event();
    case object_transfer::kind::store: return u.instance.record ? store(t, waits) : event();
    case object_transfer::kind::copy: break;
  }
  return u.instance.record ? copy(t, waits) : event();
}

namespace {

/// The importer has released the exported data.
void on_export_released(signal& self, failure_ref, base::thread_context& context) {
  task& t = static_cast<task_signal&>(self).of;
  const event until = t.computed;
  const std::source_location where = t.where;
  if (t.blocks_successors()) release_successors(t, context);
  finish(t, {}, context);
  detail::end_event(until, {}, context, where);
}

void export_now(task& t, base::thread_context& context) {
  t.notification.handle = on_export_released;
  const std::shared_ptr<objects_state> s = t.uses.front().object.get()->state;
  std::shared_ptr<const void> lease(&t, [s](const void* exported) {
    auto& mine = *static_cast<task*>(const_cast<void*>(exported));
    base::thread_context* const here = base::current();
    if (here && s->runtime == here->runtime) return post_signal(mine.notification, {}, *here);
    const std::scoped_lock lock(s->mutex);
    if (s->runtime) enqueue_signal(mine.notification);
  });
  const auto then = std::move(t.transfer->on_exported);
  then(t.uses.front().instance, std::move(lease), {}, context);
}

}  // namespace

bool cancel_request(task& t, const failure_ref& cause, base::thread_context& context) {
  if (!is_requested(t)) return false;
  if (const auto names = std::exchange(t.transfer->names, {})) names({}, {}, cause, context);
  return true;
}

void fail_transfer(task& t, const failure_ref& cause, base::thread_context& context) {
  cause->mark_observed();  // those that use the data report it
  if (const auto then = std::move(t.transfer->on_exported)) then({}, {}, cause, context);
  if (t.done != event()) detail::end_event(t.done, cause, context, t.where);
}

void on_transfer_ended(task& t, failure_ref cause, base::thread_context& context) {
  if (!cause && t.transfer->is == object_transfer::kind::export_elements) return export_now(t, context);
  const event until = t.transfer->is == object_transfer::kind::export_elements ? t.computed : event();
  const event done = t.done;
  const std::source_location where = t.where;
  if (cause) {
    if (!t.on) remove_from_queues(t);
    cancel_request(t, cause, context);
    fail_transfer(t, cause, context);
    for (const object_use& u : t.uses) {
      if (t.computed.raw() != 0) u.object.get()->replicas.failed(t.computed.raw());
      if (!t.on && u.how.changes_content()) u.object.get()->replicas.spoil(u.where);
      if (u.how.changes_content()) u.object.get()->lost_because = cause;
    }
  }
  if (t.blocks_successors()) release_successors(t, context);
  finish(t, cause, context);
  if (!cause && done != event()) detail::end_event(done, {}, context, where);
  // A later writer does not fail because this task could not read.
  if (until != event()) detail::end_event(until, {}, context, where);
}

}  // namespace stretto::objects

namespace stretto::detail {

using namespace objects;

object_handle copy_of_object(const object_handle& h) {
  base::thread_context& context = base::require_current("send");
  object_record& o = usable(h, "send", context, std::source_location());
  const objects_lock in(*o.state, context);
  object_handle copy =
      make_object({o.elements, o.dimensions, o.element_bytes, o.alignment, o.name, nullptr}, o.created);
  const region parts = elements_after_all_tasks(o);
  for (const box& part : parts.boxes()) {
    task_pointer t = new_transfer(*o.state, {.is = object_transfer::kind::copy}, o, part, access::in);
    t->uses.push_back({used_object(*copy.get()), part, usage_of(access::out)});
    submit(t.release(), {}, {}, context);
  }
  return copy;
}

void separate_object(object_handle& h) {
  if (h.get() && h.get()->references.load(std::memory_order_acquire) > 1) h = copy_of_object(h);
}

namespace {

/// Writes the object with its data, for which it waits.
void write_data(field_writer& to, const object_handle& h) {
  std::vector<box> parts;
  {
    base::thread_context& context = base::require_current("keep");
    object_record& o = usable(h, "keep", context, std::source_location());
    const objects_lock in(*o.state, context);
    to(form::with_data, o.dimensions, o.element_bytes, o.alignment, o.elements, o.name);
    const region all = elements_after_all_tasks(o);
    parts.assign(all.boxes().begin(), all.boxes().end());
  }
  to(parts);
  for (const box& part : parts) {
    std::vector<std::byte> content(part.volume() * h.get()->element_bytes);
    wait(copy_elements(h, part, access::in, content.data(), h.get()->created));
    to.bytes(content.data(), content.size());
  }
}

object_handle read_data(field_reader& from, const object_request& r) {
  object_handle made = make_object(r, std::source_location());
  std::vector<box> parts;
  from(parts);
  for (const box& part : parts) {
    if (!r.elements.contains(part))
      refuse_fields("a part of an object, of so many elements", part.volume(), r.elements.volume());
    from.expect(part.volume(), r.element_bytes);
    std::vector<std::byte> content(part.volume() * r.element_bytes);
    from.bytes(content.data(), content.size());
    wait(copy_elements(made, part, access::out, content.data(), std::source_location()));
  }
  return made;
}

}  // namespace

void write_object(field_writer& to, const object_handle& h) {
  if (!h.get()) return void(to(form::null));
  parcel* const message = to.message();
  if (!message)
    throw error("A09", "an object was serialized outside a message")
        .fact("object", objects::describe(*h.get()))
        .because("a serialized object is a reference, through which the receiver of a message fetches the data")
        .remedy("copy the data out with copy_to and serialize that, or send the object as an argument of a message");
  if (message->holds_content) return write_data(to, h);
  base::thread_context& context = base::require_current("send");
  object_record& given = usable(h, "send", context, std::source_location());
  const objects_lock in(*given.state, context);
  const bool is_small = given.elements.volume() * given.element_bytes <= most_in_message;
  const std::byte* const now = is_small ? current_data(given, given.elements) : nullptr;
  to(now ? form::in_message : form::reference, given.dimensions, given.element_bytes, given.alignment, given.elements,
     given.name);
  if (now) return to.bytes(now, given.elements.volume() * given.element_bytes);

  const bool is_shared = message->are_values_kept || given.references.load(std::memory_order_acquire) > 1;
  object_handle mine = is_shared ? copy_of_object(h) : h;
  object_record& o = *mine.get();
  const execution_place& at = main_execution_place(given, given.elements);
  to(elements_after_all_tasks(o).boxes(), std::string(at.view.kind), at.view.index);
  auto added = data::attachments_of(context)->add(
      std::make_shared<attached_object>(std::move(mine), message->may_be_read_twice));
  to(context.runtime->node, added.number);
  message->along.push_back(std::move(added.held));
}

object_handle read_object(field_reader& from, const object_request& like) {
  form is{};
  from(is);
  if (is == form::null) return {};
  object_request r;
  std::string name;
  from(r.dimensions, r.element_bytes, r.alignment, r.elements, name);
  if (is > form::with_data || r.dimensions != like.dimensions || r.element_bytes != like.element_bytes ||
      r.alignment != like.alignment)
    refuse_fields("an object with elements of so many bytes", r.element_bytes, like.element_bytes);
  r.name = name;
  if (is == form::with_data) return read_data(from, r);
  base::thread_context& context = base::require_current("read");
  objects_state& s = *state_of(*context.runtime);
  if (is == form::in_message) {
    std::vector<std::byte> content;
    from.expect(r.elements.volume(), r.element_bytes);
    content.resize(r.elements.volume() * r.element_bytes);
    from.bytes(content.data(), content.size());
    r.from = content.data();
    return make_object(r, std::source_location());
  }
  std::vector<box> parts;
  std::string backend;
  std::uint32_t index = 0;
  data::attachment_name what;
  from(parts, backend, index, what.node, what.number);
  const std::shared_ptr<data::attachments>& all = data::attachments_of(context);
  if (what.node == context.runtime->node) {
    const std::shared_ptr<data::attached_array> array = all->find(what.number);
    object_handle found = array ? static_cast<attached_object&>(*array).take() : object_handle();
    if (found.get()) return found;
    throw error("G06", "the data of object \"" + name + "\" in a message is no longer available")
        .because("the message was already read, or already replied to")
        .remedy("read a message only once");
  }
  if (!all->others) refuse_fields("an object of another job's node", what.node, context.runtime->node);
  const objects_lock in(s, context);
  object_handle made = make_object(r, std::source_location());
  if (parts.empty()) return made;
  const auto comes = std::make_shared<incoming_data>(s, *all, what, parts.size());
  const std::uint32_t place_index = execution_place_for(s, backend, index, r.elements.volume() * r.element_bytes);
  for (const box& part : parts)
    submit(new_transfer(s, {.is = object_transfer::kind::fetch, .from = comes, .place_index = place_index}, *made.get(),
                        part, access::out)
               .release(),
           {}, {}, context);
  comes->hold();
  return made;
}

}  // namespace stretto::detail
