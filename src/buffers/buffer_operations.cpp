// buffer_operations.cpp - public calls on buffers: creation, launches, host tasks, side effects, horizons and epochs.
#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "buffers/buffers_floor.hpp"
#include "buffers/buffers_state.hpp"
#include "buffers/call_frame.hpp"
#include "buffers/call_signatures.hpp"
#include "buffers/graph_generation.hpp"
#include "buffers/launch_pipeline.hpp"
#include "buffers/launch_request.hpp"
#include "data/instance_refusals.hpp"
#include "device/native_code.hpp"
#include "objects/launch_preparation.hpp"
#include "sched/scheduler.hpp"

namespace stretto::buffers {

namespace {

void take_tags(task_work& work, const detail::task_request& request) {
  static_cast<detail::placing_request&>(work.request) = request;
  work.first = merge(merge(request.after_events, work.range.where), merge_dependencies(request.after, work.range.where),
                     work.range.where);
}

std::vector<graph::effect_use> require_effects(std::span<const detail::used_side_effect> named,
                                               const base::thread_context& context, const std::source_location& where) {
  std::vector<graph::effect_use> all;
  for (const detail::used_side_effect& u : named) {
    const auto& h = u.which.handle();
    if (!h || h->state->runtime != context.runtime)
      throw error("B26", h ? "host_task was given a side effect of another runtime"
                           : "host_task was given a side effect that is empty")
          .fact("submitted", where)
          .because(h ? "a side effect orders the tasks of the runtime that created it"
                     : "it was default-constructed, or moved from by std::move")
          .remedy("create it inside the runtime that uses it: side_effect log(\"log\")");
    const auto same = std::ranges::find(all, h->number, &graph::effect_use::effect);
    if (same == all.end()) all.push_back({h->number, u.is_affected, h->name});
    else same->is_affected = same->is_affected || u.is_affected;
  }
  return all;
}

/// Submits the task now and records that its checks passed in this epoch.
task_outcome submit_cached(buffers_state& s, cached_launch& cached, const task_work& work,
                           base::thread_context& context) {
  const submission_timer measured(s, cached);
  const task_outcome out = submit_task(s, cached.task, work, context);
  cached.checked_in_epoch = s.check_epoch.load(std::memory_order_relaxed);
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
    const drained_submission_lock held(*s, where);
    const graph::buffer is{.elements = request.elements,
                           .initial = is_alike ? graph::initial_data::replicated : graph::initial_data::none,
                           .name = std::string(request.name),
                           .element_bytes = request.element_bytes};
    made->id = s->tasks.add(is);
    if (s->guard) record_call(*s, signature_of_make(*made, is_alike), where, false);
    s->commands.add(is);
    s->executor.add(made->id, made->type, made->name);
    std::vector<graph::instruction> first;
    s->instructions.add(is, first);
    task_work work;
    work.range.where = where;
    if (s->record) s->record->add(is, request.element_bytes);
    if (s->dry) s->dry->add(is, request.element_bytes, s->record.get());
    s->carry_out({}, first, work, context);
    if (is_alike && !s->dry) filled = s->executor.instance_of(std::get<graph::allocate>(first.front().what).is);
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
  return require_buffer(h, "elements", base::require_current("elements"), where).elements;
}

event launch_on_buffers(const kernel_code& code, const kernel_range& range, std::span<const buffer_item> items,
                        const buffer_launch& request) {
  base::thread_context& context = base::require_current("launch");
  data::refuse_wrong_range(code, range);
  for (const buffer_item& i : items)
    if (i.buffer) require_buffer(*i.buffer, "launch", context, range.where);
  task_work work;
  work.code = &code;
  work.range = range;
  take_tags(work, request);

  buffers_state& s = *buffers::state_of(*context.runtime);
  objects::devices_of_launch by;
  // the kinds of simulated devices are not known
  if (s.dry) by.on_host = request.kinds.are == on(device_kind::host).are || request.driver == "host";
  else if (request.kinds.are || !request.driver.empty())
    by = objects::devices_for(*context.runtime, code, range, request);
  else by.on_host = device::is_of_host_alone(code);
  const kernel_launch_request call{code, range, items, request, by};
  task_outcome out;
  event ahead;
  {
    submission_lock lock(s);
    std::shared_ptr<cached_launch> is = request.is_to_come ? nullptr : call.find_for_pipeline(s);
    if (const auto later = try_enqueue(s, is, {.code = &code, .items = items, .work = &work}, context)) return *later;
    const bool has_let_go = lock.lock_buffers(range.where);
    const launch_cache::uncached_scope unless_kept(s.launches);
    if (!is || has_let_go) is = call.find(s);
    cached_launch& cached = *is;
    for (std::size_t i = 0; i < items.size(); ++i) {
      cached.arguments[i].value = items[i].value;
      cached.arguments[i].local_elements = items[i].local_elements;
    }
    work.arguments = cached.arguments;
    work.task = &cached.task;
    work.folds = cached.folds;
    work.learns = s.learns.get();
    work.learned = cached.learned;
    if (request.is_to_come) {
      if (const box own = s.commands.own_chunk(cached.task); !own.is_empty() && !s.learns)
        s.instructions.expect(cached.task, own);
      return {};
    }
    if (shows_speed(cached.task)) work.measured = s.weights.open();
    if (s.guard) record_call(s, cached.call, range.where);
    out = submit_cached(s, cached, work, context);
    ahead = s.back_pressure;
  }
  finish_call(s, ahead, range.where);
  return out.done;
}

std::uint32_t nodes_of_buffers() {
  return buffers::state_of(*base::require_current("host_task").runtime)->commands.nodes();
}

event run_host_task(task_nodes which, const box& range, std::span<const host_use_item> items, host_function f,
                    const host_task_request& request, const std::source_location& where) {
  base::thread_context& context = base::require_current("host_task");
  for (const host_use_item& i : items) require_buffer(*i.buffer, "host_task", context, where);
  task_work work;
  work.host = &f;
  work.range.where = where;
  take_tags(work, request);
  const std::vector<graph::effect_use> effects = require_effects(request.effects, context, where);
  if (request.name.empty()) work.request.name = "host task";
  // A place that no worker serves is refused before anything changes. A processor is resolved to the next of its
  // workers in turn, so it is resolved only once.
  const auto to =
      static_cast<sched::thread_state&>(context).owner->destination_of(request.at, request.on, request.worker, where);
  if (request.on) work.request.on = {}, work.request.worker = to.bound - 1u;

  buffers_state& s = *buffers::state_of(*context.runtime);
  const host_task_launch_request call{which, range, items, effects, request.hints, work.request.name, where};
  task_outcome out;
  event ahead;
  {
    submission_lock lock(s);
    std::shared_ptr<cached_launch> is = call.find_for_pipeline(s);
    if (const auto later = try_enqueue(s, is, {.host = &f, .work = &work}, context)) return *later;
    const bool has_let_go = lock.lock_buffers(where);
    const launch_cache::uncached_scope unless_kept(s.launches);
    if (!is || has_let_go) is = call.find(s);
    cached_launch& cached = *is;
    work.arguments = cached.arguments;
    work.given = items;
    work.task = &cached.task;
    work.folds = cached.folds;
    if (s.guard) record_call(s, cached.call, where);
    out = submit_cached(s, cached, work, context);
    ahead = s.back_pressure;
  }
  finish_call(s, ahead, where);
  return out.done;
}

}  // namespace stretto::detail

namespace stretto {

side_effect::side_effect(std::string_view name) {
  base::thread_context& context = base::require_current("side_effect");
  const auto made = std::make_shared<buffers::side_effect_record>();
  made->state = buffers::state_of(*context.runtime);
  made->name = name;
  const buffers::buffers_lock held(*made->state);
  made->number = made->state->side_effects++;
  handle_ = made;
}

bool is_dry_run() { return buffers::state_of(*base::require_current("is_dry_run").runtime)->dry != nullptr; }

void set_horizons(const horizon_settings& settings, std::source_location where) {
  base::thread_context& context = base::require_current("set_horizons");
  if (settings.most_parallel == 1)
    throw error("B16", "set_horizons was given most_parallel = 1")
        .fact("submitted", where)
        .because("a horizon would follow each launch, and the launches would run one after the other")
        .remedy("give 2 or more, or 0 to make no horizons because of parallel launches");
  buffers::buffers_state& s = *buffers::state_of(*context.runtime);
  const buffers::drained_submission_lock held(s, where);
  if (s.guard) {
    buffers::buffer_call c{.what = buffers::buffer_call::verb::set_horizons};
    c.numbers = {static_cast<double>(settings.step), static_cast<double>(settings.most_parallel)};
    record_call(s, std::make_shared<const buffers::call_signature>(std::move(c)), where, false);
  }
  s.tasks.set({settings.step, settings.most_parallel});
}

event epoch(std::source_location where) {
  using namespace buffers;
  base::thread_context& context = base::require_current("epoch");
  buffers_state& s = *state_of(*context.runtime);
  const drained_submission_lock held(s, where);
  if (s.guard)
    record_call(s, std::make_shared<const call_signature>(buffer_call{.what = buffer_call::verb::epoch}), where);
  return pass_epoch(s, where, context);
}

}  // namespace stretto
