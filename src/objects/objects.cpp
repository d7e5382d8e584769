// objects.cpp - the calls behind object.hpp: reports errors that are known at once, and submits the rest.
#include <stretto/error.hpp>
#include <stretto/object.hpp>

#include <cstring>

#include "base/count_down.hpp"
#include "data/data_state.hpp"
#include "data/handle.hpp"
#include "data/instance_refusals.hpp"
#include "data/layout.hpp"
#include "data/unwritten_check.hpp"
#include "event/event_floor.hpp"
#include "objects/object_checks.hpp"
#include "objects/replica_memory.hpp"
#include "objects/storage.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto::detail {

using objects::object_record;
using objects::objects_lock;
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

/// A task without a kernel; needs the mutex.
objects::task_pointer task_on_elements(objects_state& s, const object_handle& h, const box& part, access how,
                                       const char* verb, const std::source_location& where) {
  objects::task_pointer t = objects::task::make(s);
  t->where = where;
  t->given_name = verb;
  t->uses.push_back({objects::used_object(*h.get()), part, usage_of(how)});
  return t;
}

/// Throws K45 or K46 if the object cannot be stored in the memory that was asked for.
void refuse_wrong_memory(const object_record& o, place memory, const base::thread_context& context) {
  const objects_state& s = *o.state;
  if (!memory) return;
  const std::uint64_t bytes = o.elements.volume() * o.element_bytes;
  if (o.shared_memory && bytes <= o.shared_memory->space->capacity()) return;
  if (o.shared_memory)
    throw error("K46", objects::describe(o) + " is larger than memory \"" + o.shared_memory->space->name() +
                           "\", which was chosen for it")
        .fact("created", o.created)
        .fact("wanted", std::to_string(bytes) + " bytes")
        .fact("capacity", std::to_string(o.shared_memory->space->capacity()) + " bytes")
        .because("the host and the device use the whole object in that memory")
        .remedy("raise STRETTO_DEVICE_HOST_MEMORY, or divide the data into several objects");
  std::string names;
  for (const objects::execution_place& m : s.shared_memories)
    names += (names.empty() ? "" : ", ") + ("\"" + m.space->name() + "\"");
  const data::memory_space* const known = data::state_of(context).find(memory);
  throw error("K45", objects::describe(o) + " cannot be placed in " +
                         (known ? "memory \"" + known->name() + "\"" : "a place that is not a memory") +
                         ", which the host and a device do not share")
      .fact("created", o.created)
      .fact("shared here", names.empty() ? "none" : names)
      .because("in other memories the runtime places an object itself")
      .remedy(
          "name a device's <name>_host_memory, which STRETTO_DEVICE_HOST_MEMORY=64M creates; or leave the choice to "
          "the runtime");
}

/// Stores the initial data in one piece: in the requested shared memory, else in host memory, else in the spill file.
void store_initial_data(object_record& o, const void* content, base::thread_context& context) {
  objects_state& s = *o.state;
  objects::execution_place& host = s.execution_places.front();
  const auto try_store = [&](objects::execution_place& at) {
    instance_handle there = objects::try_allocate(o, o.elements, at);
    if (!there.record && objects::free_redundant(s, at, objects::bytes_of(o, o.elements), nullptr, context))
      there = objects::try_allocate(o, o.elements, at);
    if (!there.record) return false;
    data::layout shape;
    std::memcpy(open_instance(there, shape, o.created), content, o.elements.volume() * o.element_bytes);
    const data::replica_set::storage all{o.replicas.next_id(), at.view.index, o.elements};
    objects::add(o, all, there);
    o.replicas.used(all.id, {o.elements, data::out_use}, 0);
    return true;
  };
  if ((o.shared_memory && try_store(s.at(o.shared_memory->view.index))) || try_store(host) ||
      (s.spill && try_store(*s.spill)))
    return;
  throw error("A04", objects::describe(o) + " does not fit into memory \"" + host.space->name() + "\"")
      .fact("created", o.created)
      .fact("needed", std::to_string(o.elements.volume() * o.element_bytes) + " bytes")
      .fact("free",
            std::to_string(host.space->usage().free) + " of " + std::to_string(host.space->capacity()) + " bytes")
      .remedy("destroy other objects or instances first, or create it in parts");
}

}  // namespace

object_handle::object_handle(const object_handle& other) noexcept : record_(other.record_) {
  if (record_) record_->references.fetch_add(1, std::memory_order_relaxed);
}

object_handle::~object_handle() {
  if (!record_ || !base::count_down(record_->references)) return;
  const std::shared_ptr<objects_state> s = record_->state;
  base::thread_context* const here = base::current();
  if (here && s->runtime == here->runtime) {
    const objects_lock in(*s, *here);
    objects::release_by_program(*record_);
  } else {
    const std::scoped_lock lock(s->mutex);
    objects::release_by_program(*record_);
  }
}

object_handle make_object(const object_request& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("object");
  data::require_addressable("an object", request.name, request.elements, request.element_bytes, where);
  const std::shared_ptr<objects_state>& s = objects::state_of(*context.runtime);
  const objects_lock in(*s, context);
  for (object_record* const o : std::exchange(s->unowned_objects, {})) objects::dissolve(*o);
  auto made = object_record::make(s, request, where);
  refuse_wrong_memory(*made, request.memory, context);
  if (request.from && !request.elements.is_empty()) store_initial_data(*made, request.from, context);
  made->place = s->objects.size();
  s->objects.push_back(made.get());
  return object_handle(made.release());
}

box elements_of(const object_handle& h, const std::source_location& where) {
  return usable(h, "elements", base::require_current("elements"), where).elements;
}

future<object_accessor_pointer> hold_elements(const object_handle& h, const box& part, access how,
                                              const std::source_location& where) {
  const char* const verb = how == access::in ? "read" : how == access::out ? "overwrite" : "change";
  base::thread_context& context = base::require_current(verb);
  objects_state& s = *usable_part(h, part, verb, context, where).state;
  const objects_lock in(s, context);
  objects::task_pointer t = task_on_elements(s, h, part, how, verb, where);
  t->promised.emplace(where);
  auto result = t->promised->get_future();
  objects::submit(t.release(), {}, {}, context);
  return result;
}

event copy_elements(const object_handle& h, const box& part, access how, std::byte* program_memory,
                    const std::source_location& where) {
  const char* const verb = how == access::in ? "copy_to" : "copy_from";
  base::thread_context& context = base::require_current(verb);
  objects_state& s = *usable_part(h, part, verb, context, where).state;
  if (part.is_empty()) return {};  // there may be no memory for an empty instance
  const objects_lock in(s, context);
  objects::task_pointer t = task_on_elements(s, h, part, how, verb, where);
  t->program_memory = program_memory;
  const event done = t->done = make_event(context, where);
  objects::submit(t.release(), {}, {}, context);
  return done;
}

void release_elements(object_accessor_state* held) noexcept {
  const std::unique_ptr<object_accessor_state> whole(held);
  objects_state& s = *held->state;
  base::thread_context* const here = base::current();
  if (here && s.runtime == here->runtime) return objects::post_signal(held->by->notification, {}, *here);
  const std::scoped_lock lock(s.mutex);
  if (s.runtime) objects::enqueue_signal(held->by->notification);
}

std::byte* first_of(const object_accessor_state& held, data::layout& shape) {
  if (held.where.record) {
    std::byte* first = open_instance(held.where, shape, std::source_location::current());
    for (int a = 0; a < max_axes; ++a) first += (held.part.min()[a] - shape.box.min()[a]) * shape.stride[a];
    shape.box = held.part;
    held.find_unwritten(
        first, shape, held.part, held.dimensions,
        [&] { return objects::describe(*held.by->uses.front().object.get()); }, held.by->where);
    return first;
  }
  shape = data::dense_layout(held.part, held.dimensions, held.element_bytes, axis_order::c);
  return nullptr;
}

void remove_from_devices(const object_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("remove_from_devices");
  object_record& o = usable(h, "remove_from_devices", context, where);
  const objects_lock in(*o.state, context);
  for (data::memory_number m = 1; m < o.state->execution_places.size(); ++m)
    for (const auto& r : o.replicas.replicas(m))
      if (!objects::evict(o, r.id, where, context)) objects::refuse_eviction(o, r.id, where);
}

}  // namespace stretto::detail
