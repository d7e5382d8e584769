// instance_queries.cpp - queries of instances and of memories.
#include <stretto/error.hpp>

#include <string>

#include "data/data_state.hpp"
#include "data/handle.hpp"
#include "data/order_check.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"

namespace stretto {
namespace detail {

event ready_event(const instance_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("ready");
  if (!data::is_local(h, context)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::ready, .used = {h}}, {}, context, where);
  return data::usable(h, "ready", context, where).ready;
}

std::byte* open_instance(const instance_handle& given, data::layout& shape, const std::source_location& where) {
  base::thread_context& context = base::require_current("view");
  const instance_handle h = data::local_handle(given, "view", context, where);
  instance_record& r = data::usable(h, "view", context, where);
  // If the creation failed, its own error says more.
  if (r.ready.raw() != 0 && has_ended(r.ready, context))
    if (const failure_ref cause = cause_of(r.ready, context)) cause->raise();
  if (r.ready.raw() != 0 && !has_ended(r.ready, context))
    throw error("D09", describe(r) + " was accessed before it existed")
        .fact("submitted", where)
        .fact("created", r.created)
        .because("its creation waits for preconditions, or for memory")
        .remedy("access it in a task that runs after(ready)");
  if (!data::is_on_host(r.space))
    throw error("D15", describe(r) + " is in a memory that the host cannot access")
        .fact("submitted", where)
        .fact("memory", r.space->name())
        .remedy("copy it to an instance in host memory");
  if (auto* const checks = data::state_of(context).checks) checks->opened(h);
  shape = r.shape;
  return r.first;
}

data::layout shape_of(const instance_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("elements");
  if (const auto facts = data::facts_elsewhere(h, "elements", context, where)) return facts->shape;
  return data::usable(data::local_handle(h, "elements", context, where), "elements", context, where).shape;
}

place memory_of(const instance_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("memory");
  if (const auto facts = data::facts_elsewhere(h, "memory", context, where)) return facts->memory;
  const instance_record& r = data::usable(data::local_handle(h, "memory", context, where), "memory", context, where);
  return r.space ? r.space->where() : place{};
}

std::string name_of(const instance_handle& h, const std::source_location& where) {
  base::thread_context& context = base::require_current("name");
  if (const auto facts = data::facts_elsewhere(h, "name", context, where)) return facts->name;
  return data::usable(data::local_handle(h, "name", context, where), "name", context, where).name.data();
}

void out_of_bounds(const point& at, const box& box, unsigned dimensions) {
  std::string text;
  for (unsigned a = 0; a < dimensions; ++a) text += (a ? ", " : "(") + std::to_string(at[a]);
  throw error("D02", "a view accesses an element outside of its instance")
      .fact("element", text + ")")
      .fact("box", box.text());
}

void row_not_contiguous(std::int64_t stride_bytes, std::size_t element_bytes) {
  throw error("D10", "row() requires an instance whose last axis is contiguous")
      .fact("stride", std::to_string(stride_bytes) + " bytes between elements of " + std::to_string(element_bytes))
      .remedy("use operator(), or create the instance in C order");
}

}  // namespace detail

memory_usage usage_of(place memory, std::source_location where) {
  data::data_state& state = data::state_of(base::require_current("usage_of"));
  if (data::memory_space* space = state.find(memory)) return space->usage();
  throw error("D04", "usage_of was called with a place that is not a memory of this runtime").fact("submitted", where);
}

}  // namespace stretto
