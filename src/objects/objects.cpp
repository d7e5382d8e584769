// objects.cpp - the calls behind object.hpp: what can be known to be wrong is thrown here, the rest is submitted.
#include <stretto/error.hpp>
#include <stretto/object.hpp>

#include <cstring>

#include "data/handle.hpp"
#include "data/layout.hpp"
#include "event/event_floor.hpp"
#include "objects/asking.hpp"
#include "objects/room.hpp"
#include "objects/running.hpp"
#include "objects/storage.hpp"

namespace stretto::detail {

using objects::inside;
using objects::object_record;
using objects::objects_state;
using objects::require_inside;
using objects::usable;
using objects::usage_of;

namespace {

object_record& usable_part(const object_handle& h, const box& part, const char* verb, base::thread_context& context,
                           const std::source_location& where) {
  object_record& o = usable(h, verb, context, where);
  require_inside(o, part, verb, where);
  return o;
}

/// For what is no launch; behind the mutex.
objects::task_pointer task_on_elements(objects_state& s, const object_handle& h, const box& part, access how, const char* verb,
                                       const std::source_location& where) {
  objects::task_pointer t = objects::task::make(s);
  t->where = where;
  t->given_name = verb;
  t->uses.push_back({objects::used_object(*h.get()), part, usage_of(how)});
  return t;
}

}  // namespace

object_handle::object_handle(const object_handle& other) noexcept : record_(other.record_) {
  if (record_) record_->references.fetch_add(1, std::memory_order_relaxed);
}

object_handle::~object_handle() {
  if (!record_ || record_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::shared_ptr<objects_state> s = record_->state;
  base::thread_context* const here = base::current();
  if (here && s->runtime == here->runtime) {
    const inside in(*s, *here);
    objects::let_go(*record_);
  } else {
    const std::scoped_lock lock(s->mutex);
    objects::let_go(*record_);
  }
}

object_handle make_object(const object_request& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("object");
  const std::shared_ptr<objects_state>& s = objects::state_of(*context.runtime);
  const inside in(*s, context);
  for (object_record* const o : std::exchange(s->orphans, {})) objects::dissolve(*o);
  auto made = std::make_unique<object_record>(s, request, where);
  if (request.from && !request.elements.is_empty()) {
    objects::site& host = s->sites.front();
    data::memory_number in = host.view.index;
    instance_handle there = objects::try_allocate(*made, request.elements, host);
    if (!there.record && objects::give_up_needless(*s, host, objects::bytes_of(*made, request.elements), nullptr, context))
      there = objects::try_allocate(*made, request.elements, host);
    if (!there.record && s->spill) there = objects::try_allocate(*made, request.elements, s->at(in = s->spill->view.index));
    if (!there.record)
      throw error("A04", objects::describe(*made) + " does not fit into memory \"" + host.space->name() + "\"")
          .fact("created", where)
          .fact("wanted", std::to_string(request.elements.volume() * request.element_bytes) + " bytes")
          .fact("free", std::to_string(host.space->usage().free) + " of " + std::to_string(host.space->capacity()) + " bytes")
          .remedy("let go of other objects or instances first, or make it in parts");
    data::layout shape;
    std::memcpy(open_instance(there, shape, where), request.from, request.elements.volume() * request.element_bytes);
    const data::replica_set::storage all{made->replicas.next_id(), in, request.elements};
    objects::add(*made, all, there);
    made->replicas.used(all.id, {request.elements, data::out_use}, 0);
  }
  s->objects.push_back(made.get());
  return object_handle(made.release());
}

box elements_of(const object_handle& h, const std::source_location& where) {
  return usable(h, "elements", base::require_current("elements"), where).elements;
}

future<held_pointer> hold_elements(const object_handle& h, const box& part, access how, const std::source_location& where) {
  const char* const verb = how == access::in ? "read" : how == access::out ? "overwrite" : "change";
  base::thread_context& context = base::require_current(verb);
  objects_state& s = *usable_part(h, part, verb, context, where).state;
  const inside in(s, context);
  objects::task_pointer t = task_on_elements(s, h, part, how, verb, where);
  t->promised.emplace(where);
  auto result = t->promised->get_future();
  objects::submit(t.release(), {}, {}, context);
  return result;
}

event copy_elements(const object_handle& h, const box& part, access how, std::byte* outside, const std::source_location& where) {
  const char* const verb = how == access::in ? "copy_to" : "copy_from";
  base::thread_context& context = base::require_current(verb);
  objects_state& s = *usable_part(h, part, verb, context, where).state;
  const inside in(s, context);
  objects::task_pointer t = task_on_elements(s, h, part, how, verb, where);
  t->outside = outside;
  const event done = t->done = make_event(context, where);
  objects::submit(t.release(), {}, {}, context);
  return done;
}

void release_elements(held_elements* held) noexcept {
  const std::unique_ptr<held_elements> whole(held);
  objects_state& s = *held->state;
  base::thread_context* const here = base::current();
  if (here && s.runtime == here->runtime) return objects::arrive(held->by->news, {}, *here);
  const std::scoped_lock lock(s.mutex);
  if (s.runtime) objects::leave_for_others(held->by->news);
}

std::byte* first_of(const held_elements& held, data::layout& shape) {
  if (held.where.record) {
    std::byte* first = open_instance(held.where, shape, std::source_location::current());
    for (int a = 0; a < max_axes; ++a) first += (held.part.min()[a] - shape.box.min()[a]) * shape.stride[a];
    shape.box = held.part;
    return first;
  }
  shape = data::dense_layout(held.part, held.dimensions, held.element_bytes, axis_order::c);
  return nullptr;
}

void remove_from_devices(const object_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("remove_from_devices");
  object_record& o = usable(h, "remove_from_devices", context, where);
  const inside in(*o.state, context);
  for (data::memory_number m = 1; m < o.state->sites.size(); ++m)
    for (const auto& r : o.replicas.replicas(m))
      if (!objects::evict(o, r.id, where, context)) objects::refuse_to_leave(o, r.id, where);
}

}  // namespace stretto::detail
