// objects.cpp - the calls behind object.hpp: what can be known to be wrong is thrown here, the rest is submitted.
#include <stretto/error.hpp>
#include <stretto/object.hpp>

#include <cstring>

#include "data/handle.hpp"
#include "data/kernel_arguments.hpp"
#include "data/layout.hpp"
#include "event/event_floor.hpp"
#include "objects/dividing.hpp"
#include "objects/fold_kernels.hpp"
#include "objects/room.hpp"
#include "objects/running.hpp"

namespace stretto::detail {

using objects::inside;
using objects::object_record;
using objects::objects_state;

namespace {

object_record& usable(const object_handle& h, const char* verb, base::thread_context& context, const std::source_location& where) {
  object_record* const o = h.get();
  if (o && o->state->runtime == context.runtime) return *o;
  throw error("A02", std::string(verb) + (o ? " was given an object of another runtime" : " was given an object that names nothing"))
      .fact("submitted", where)
      .because(o ? "an object lives no longer than the runtime in which it was made"
                 : "it was made without elements, or its content has gone to another by std::move")
      .remedy("make it inside the runtime that uses it: object<float> u(box(0, 100))");
}

void require_inside(const object_record& o, const box& part, const char* verb, const std::source_location& where) {
  if (o.elements.contains(part)) return;
  throw error("A05", std::string(verb) + " names elements that " + objects::describe(o) + " does not have")
      .fact("submitted", where)
      .fact("part", part.text())
      .fact("object", o.elements.text())
      .remedy("name a part inside of it: intersection(part, u.elements())");
}

data::usage usage_of(access mode) noexcept {
  return mode == access::in ? data::in_use : mode == access::out ? data::out_use : data::inout_use;
}

data::usage usage_of(const kernel_parameter& p) noexcept {
  return p.mode == access::reduce ? data::reduce_use(objects::reduction_of(p)) : usage_of(p.mode);
}

/// The memory of a record's replicas, and its place in the list; behind the mutex.
void dissolve(object_record& o, base::thread_context& context) {
  o.replicas.discard(o.elements);
  for (data::memory_number m = 0; m < o.state->memories(); ++m)
    for (const auto& r : o.replicas.replicas(m)) objects::drop(o, r.id, context);
  std::erase(o.state->objects, &o);
  delete &o;
}

/// Copies what the launch is given, for as long as it lasts. `part`: of the range, in items.
void keep_arguments(objects::task& t, const box& part_of_range, std::span<const object_item> given, base::thread_context& context) {
  const kernel_code& code = *t.code;
  t.items.resize(given.size());
  t.use_of_item.assign(given.size(), objects::task::no_use);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const object_item& item = given[i];
    t.items[i].local_elements = item.local_elements;
    if (!item.object) continue;
    object_record& o = usable(*item.object, "launch", context, t.where);
    const box part = item.mapped ? (*item.mapped)(part_of_range) : item.is_tile ? item.part : o.elements;
    require_inside(o, part, "launch", t.where);
    t.use_of_item[i] = t.uses.size();
    t.uses.push_back({*item.object, part, usage_of(code.parameters[i])});
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].object) t.items[i].part = &t.uses[t.use_of_item[i]].where;
  t.values.emplace(code, [&](std::size_t i, std::byte* at) {
    std::memcpy(at, given[i].value, code.parameters[i].element_bytes);
    t.items[i].value = at;
  });
}

/// Where it may run, of what is here; throws if that is nowhere.
void choose_sites(objects::task& t, const object_launch& request) {
  const place wanted = request.on ? request.on : request.at;
  bool possible = false;
  for (const objects::site& s : t.state.sites) {
    if (wanted && (s.processor == wanted || s.memory == wanted)) t.only_site = s.view.index;
    possible = possible || t.may_run_on(s.view);
  }
  if (possible && (!wanted || t.only_site != objects::task::any_site)) return;
  error e("A06", t.describe() + (wanted ? " is to run at a place that computes no kernels" : " is to run on a kind of device that is not open"));
  e.fact("submitted", t.where);
  std::string names;
  for (const objects::site& s : t.state.sites) names += (names.empty() ? "" : ", ") + std::string(s.view.name);
  throw std::move(e).fact("here", names).remedy("open devices with STRETTO_DEVICES=all, or leave the choice to the runtime");
}

objects::task_pointer make_launch(objects_state& s, const kernel_code& code, const kernel_range& range, const object_launch& request) {
  objects::task_pointer t = objects::task::make(s);
  t->code = &code;
  t->range = range;
  t->where = range.where;
  t->given_name = request.name;
  t->urgency = request.priority;
  t->any_kind = !request.has_kind;
  t->only_kind = request.kind;
  return t;
}

/// Whether parts of it can be computed apart: it says of what it writes which part of the range writes what.
bool is_divisible(const kernel_code& code, std::span<const object_item> given) {
  bool any = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].mapped) any = true;
    else if (given[i].object && code.parameters[i].mode != access::in && code.parameters[i].mode != access::reduce) return false;
  }
  return any;
}

/// The items of a range, where it is one of groups, too.
box items_of(const kernel_range& range) {
  if (!range.is_of_groups || range.ids.is_empty()) return range.ids;
  point min = range.ids.min(), max = range.ids.max();
  for (int a = 0; a < max_axes; ++a) min[a] *= range.group[a], max[a] *= range.group[a];
  return box::between(min, max);
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
    dissolve(*record_, *here);
    return;
  }
  const std::scoped_lock lock(s->mutex);
  if (s->runtime) s->orphans.push_back(record_);
  else delete record_;
}

object_handle make_object(const object_request& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("object");
  const std::shared_ptr<objects_state>& s = objects::state_of(*context.runtime);
  const inside in(*s, context);
  for (object_record* const o : std::exchange(s->orphans, {})) dissolve(*o, context);
  auto made = std::make_unique<object_record>(s, request, where);
  if (request.from && !request.elements.is_empty()) {
    const objects::site& host = s->sites.front();
    data::memory_number in = host.view.index;
    instance_handle there = objects::try_allocate(*made, request.elements, host);
    for (const data::memory_number beneath : s->beneath(in))
      if (!there.record) there = objects::try_allocate(*made, request.elements, s->at(in = beneath));
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

event launch_on_objects(const kernel_code& code, const kernel_range& range, std::span<const object_item> given,
                        const object_launch& request) {
  base::thread_context& context = base::require_current("launch");
  data::refuse_wrong_range(code, range);
  objects_state& s = *objects::state_of(*context.runtime);
  const inside in(s, context);
  std::vector<event> after(request.after_events.begin(), request.after_events.end());
  for (const dependency& d : request.after) after.push_back(d.task() ? event_of(*d.task(), context, range.where) : d.as_event());
  objects::task_pointer whole = make_launch(s, code, range, request);
  choose_sites(*whole, request);
  std::vector<objects::share> shares;
  if (is_divisible(code, given)) shares = objects::divide(*whole, s);
  if (shares.size() < 2) {
    keep_arguments(*whole, items_of(range), given, context);
    if (!shares.empty()) whole->goes_to = shares.front().of;
    const event done = whole->done = make_event(context, range.where);
    objects::submit(whole.release(), after, context);
    return done;
  }
  std::vector<objects::task_pointer> parts;
  for (const objects::share& share : shares) {
    kernel_range part = range;
    part.ids = share.ids;
    parts.push_back(make_launch(s, code, part, request));
    parts.back()->goes_to = share.of;
    keep_arguments(*parts.back(), items_of(part), given, context);
  }
  objects::refuse_overlapping_writes(parts);
  std::vector<event> done;
  for (objects::task_pointer& t : parts) {
    done.push_back(t->done = make_event(context, range.where));
    objects::submit(t.release(), after, context);
  }
  return merge(done, range.where);
}

future<held_pointer> hold_elements(const object_handle& h, const box& part, access how, const std::source_location& where) {
  const char* const verb = how == access::in ? "read" : how == access::out ? "overwrite" : "change";
  base::thread_context& context = base::require_current(verb);
  object_record& o = usable(h, verb, context, where);
  require_inside(o, part, verb, where);
  const inside in(*o.state, context);
  objects::task_pointer t = objects::task::make(*o.state);
  t->where = where;
  t->given_name = verb;
  t->uses.push_back({h, part, usage_of(how)});
  t->promised.emplace(where);
  auto result = t->promised->get_future();
  objects::submit(t.release(), {}, context);
  return result;
}

event copy_elements(const object_handle& h, const box& part, access how, std::byte* outside, const std::source_location& where) {
  const char* const verb = how == access::in ? "copy_to" : "copy_from";
  base::thread_context& context = base::require_current(verb);
  object_record& o = usable(h, verb, context, where);
  require_inside(o, part, verb, where);
  const inside in(*o.state, context);
  objects::task_pointer t = objects::task::make(*o.state);
  t->where = where;
  t->given_name = verb;
  t->outside = outside;
  t->uses.push_back({h, part, usage_of(how)});
  const event done = t->done = make_event(context, where);
  objects::submit(t.release(), {}, context);
  return done;
}

void release_elements(held_elements* held) noexcept {
  const std::unique_ptr<held_elements> whole(held);
  objects_state& s = *held->state;
  base::thread_context* const here = base::current();
  if (here && s.runtime == here->runtime) return objects::arrive(held->by->end, {}, *here);
  const std::scoped_lock lock(s.mutex);
  if (s.runtime) objects::leave_for_others(held->by->end);
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
    for (const auto& r : o.replicas.replicas(m)) objects::evict(o, r.id, where, context);
}

}  // namespace stretto::detail
