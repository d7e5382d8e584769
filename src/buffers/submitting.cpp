// submitting.cpp - the calls on buffers: tasks, their commands and instructions, begun at once.
#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "buffers/launch_request.hpp"
#include "buffers/buffers_floor.hpp"
#include "buffers/buffers_state.hpp"
#include "buffers/generating.hpp"
#include "buffers/handing_over.hpp"
#include "buffers/said_calls.hpp"
#include "buffers/usable.hpp"
#include "data/instance_refusals.hpp"
#include "device/native.hpp"
#include "objects/launching.hpp"
#include "sched/scheduler.hpp"

namespace stretto::buffers {

namespace {

void take_tags(task_work& work, const detail::task_request& request) {
  static_cast<detail::placing_request&>(work.request) = request;
  work.first = merge(merge(request.after_events, work.range.where), merge_dependencies(request.after, work.range.where), work.range.where);
}

std::vector<graph::effect_use> usable_effects(std::span<const detail::used_side_effect> named, const base::thread_context& context,
                                              const std::source_location& where) {
  std::vector<graph::effect_use> all;
  for (const detail::used_side_effect& u : named) {
    const auto& h = u.which.handle();
    if (!h || h->state->runtime != context.runtime)
      throw error("B26", h ? "host_task was given a side effect of another runtime" : "host_task was given a side effect that names nothing")
          .fact("submitted", where)
          .because(h ? "a side effect orders the tasks of the runtime in which it was made" : "it was made without a name, or has gone to another by std::move")
          .remedy("make it inside the runtime that uses it: side_effect log(\"log\")");
    const auto same = std::ranges::find(all, h->number, &graph::effect_use::effect);
    if (same == all.end()) all.push_back({h->number, u.is_affected, h->name});
    else same->is_affected = same->is_affected || u.is_affected;
  }
  return all;
}

/// The task of a launch in this call: if it is found right, it is known to be.
task_outcome do_known(buffers_state& s, known_launch& known, const task_work& work, base::thread_context& context) {
  const taking_time measured(s, known);
  const task_outcome out = do_task(s, known.task, work, context);
  known.right_as_of = s.rights.load(std::memory_order_relaxed);
  return out;
}

}  // namespace

}  // namespace stretto::buffers

namespace stretto::detail {

using namespace buffers;

buffer_handle make_buffer(const buffer_description& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("buffer");
  data::require_addressable("a buffer", request.name, request.elements, request.element_bytes, where);
  auto made = std::make_shared<buffer_record>();
  made->elements = request.elements;
  made->type = {request.dimensions, request.element_bytes, request.alignment};
  made->name = request.name;
  const std::shared_ptr<buffers_state>& s = buffers::state_of(*context.runtime);
  const bool is_alike = request.from && !request.elements.is_empty();
  instance_handle filled;
  {
    const asked held(*s, where);
    const graph::buffer is{.elements = request.elements,
                           .begins = is_alike ? graph::content::alike : graph::content::none,
                           .name = std::string(request.name),
                           .element_bytes = request.element_bytes};
    made->id = s->tasks.add(is);
    if (s->programs) note(*s, said_make(*made, is_alike), where, false);
    s->commands.add(is);
    s->doing.add(made->id, made->type, made->name);
    std::vector<graph::instruction> first;
    s->instructions.add(is, first);
    task_work work;
    work.range.where = where;
    if (s->record) s->record->add(is, request.element_bytes);
    if (s->dry) s->dry->add(is, request.element_bytes, s->record.get());
    s->carry_out({}, first, work, context);
    if (is_alike && !s->dry) filled = s->doing.instance_of(std::get<graph::allocate>(first.front().what).is);
  }
  made->state = s;
  if (is_alike && !s->dry) {
    wait(ready_event(filled, where), where);
    data::layout shape;
    std::byte* const first = open_instance(filled, shape, where);
    std::memcpy(first, request.from, request.elements.volume() * request.element_bytes);
  }
  return made;
}

box elements_of(const buffer_handle& h, const std::source_location& where) {
  return usable(h, "elements", base::require_current("elements"), where).elements;
}

event launch_on_buffers(const kernel_code& code, const kernel_range& range, std::span<const buffer_item> items, const buffer_launch& request) {
  base::thread_context& context = base::require_current("launch");
  data::refuse_wrong_range(code, range);
  for (const buffer_item& i : items)
    if (i.buffer) usable(*i.buffer, "launch", context, range.where);
  task_work work;
  work.code = &code;
  work.range = range;
  take_tags(work, request);

  buffers_state& s = *buffers::state_of(*context.runtime);
  objects::devices_of_launch by;
  if (s.dry) by.on_host = request.kinds.are == on(device_kind::host).are || request.driver == "host";  // of devices that are not there, no kind is known
  else if (request.kinds.are || !request.driver.empty()) by = objects::devices_for(*context.runtime, code, range, request);
  else by.on_host = device::is_of_host_alone(code);
  const kernel_launch_request asks{code, range, items, request, by};
  task_outcome out;
  event ahead;
  {
    asking held(s);
    std::shared_ptr<known_launch> is = request.is_to_come ? nullptr : asks.find_for_pipeline(s);
    if (const auto later = hand_over(s, is, {.code = &code, .items = items, .work = &work}, context)) return *later;
    const bool has_let_go = held.hold(range.where);
    const known_launches::forgetting unless_kept(s.launches);
    if (!is || has_let_go) is = asks.find(s);
    known_launch& known = *is;
    for (std::size_t i = 0; i < items.size(); ++i) {
      known.arguments[i].value = items[i].value;
      known.arguments[i].local_elements = items[i].local_elements;
    }
    work.arguments = known.arguments;
    work.task = &known.task;
    work.folds = known.folds;
    work.learns = s.learns.get();
    work.learned = known.learned;
    if (request.is_to_come) {
      if (const box own = s.commands.own_chunk(known.task); !own.is_empty() && !s.learns) s.instructions.expect(known.task, own);
      return {};
    }
    if (shows_speed(known.task)) work.measured = s.weights.open();
    if (s.programs) note(s, known.call, range.where);
    out = do_known(s, known, work, context);
    ahead = s.ahead;
  }
  go_on(s, ahead, range.where);
  return out.done;
}

std::uint32_t nodes_of_buffers() { return buffers::state_of(*base::require_current("host_task").runtime)->commands.nodes(); }

event run_host_task(task_nodes which, const box& range, std::span<const host_use_item> items, host_function f,
                    const host_task_request& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("host_task");
  for (const host_use_item& i : items) usable(*i.buffer, "host_task", context, where);
  task_work work;
  work.host = &f;
  work.range.where = where;
  take_tags(work, request);
  const std::vector<graph::effect_use> effects = usable_effects(request.effects, context, where);
  if (request.name.empty()) work.request.name = "host task";
  // What no worker serves is refused before anything has changed. A processor stands for workers in turn, and is asked once.
  const auto to = static_cast<sched::thread_state&>(context).owner->destination_of(request.at, request.on, request.worker, where);
  if (request.on) work.request.on = {}, work.request.worker = to.bound - 1u;

  buffers_state& s = *buffers::state_of(*context.runtime);
  const host_task_launch_request asks{which, range, items, effects, request.hints, work.request.name, where};
  task_outcome out;
  event ahead;
  {
    asking held(s);
    std::shared_ptr<known_launch> is = asks.find_for_pipeline(s);
    if (const auto later = hand_over(s, is, {.host = &f, .work = &work}, context)) return *later;
    const bool has_let_go = held.hold(where);
    const known_launches::forgetting unless_kept(s.launches);
    if (!is || has_let_go) is = asks.find(s);
    known_launch& known = *is;
    work.arguments = known.arguments;
    work.given = items;
    work.task = &known.task;
    work.folds = known.folds;
    if (s.programs) note(s, known.call, where);
    out = do_known(s, known, work, context);
    ahead = s.ahead;
  }
  go_on(s, ahead, where);
  return out.done;
}

}  // namespace stretto::detail

namespace stretto {

side_effect::side_effect(std::string_view name) {
  base::thread_context& context = base::require_current("side_effect");
  const auto made = std::make_shared<buffers::side_effect_record>();
  made->state = buffers::state_of(*context.runtime);
  made->name = name;
  const buffers::holding held(*made->state);
  made->number = made->state->side_effects++;
  handle_ = made;
}

bool is_dry_run() { return buffers::state_of(*base::require_current("is_dry_run").runtime)->dry != nullptr; }

void set_horizons(const horizon_settings& settings, std::source_location where) {
  base::thread_context& context = base::require_current("set_horizons");
  const graph::horizon_policy policy =
      buffers::checked_horizons({settings.step, settings.most_parallel}, "set_horizons was given most_parallel = 1", &where);
  buffers::buffers_state& s = *buffers::state_of(*context.runtime);
  const buffers::asked held(s, where);
  if (s.programs) {
    buffers::buffer_call c{.what = buffers::buffer_call::verb::set_horizons};
    c.numbers = {static_cast<double>(settings.step), static_cast<double>(settings.most_parallel)};
    note(s, std::make_shared<const buffers::known_call>(std::move(c)), where, false);
  }
  s.tasks.set(policy);
}

event epoch(std::source_location where) {
  using namespace buffers;
  base::thread_context& context = base::require_current("epoch");
  buffers_state& s = *state_of(*context.runtime);
  const asked held(s, where);
  if (s.programs) note(s, std::make_shared<const known_call>(buffer_call{.what = buffer_call::verb::epoch}), where);
  return pass_epoch(s, where, context);
}

}  // namespace stretto
