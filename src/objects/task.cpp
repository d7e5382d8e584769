// task.cpp - properties of a task that schedulers and messages need.
#include "objects/task.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::objects {

namespace {
/// Whether data must be copied for this use. A reduction contributes to an accumulator instead.
bool needs_copy(const object_use& u) { return u.how.needs_content() && u.how.is != data::usage::mode::reduce; }
}  // namespace

objects_state::objects_state(bool recycles)
    : task_stock(sizeof(task), recycles),
      task_blocks(task_stock),
      object_stock(sizeof(object_record), recycles),
      object_blocks(object_stock) {}

task::task(objects_state& s) : deferred(preconditions_ended), state(s), notification(*this, on_precondition_ended) {}

task_pointer task::make(objects_state& s) { return task_pointer(::new (s.task_blocks.allocate()) task(s)); }

void recycle::operator()(task* t) const noexcept {
  objects_state& s = t->state;
  t->~task();
  s.task_blocks.free(t);
}

task_signal::task_signal(task& t, handler h) noexcept : signal(t.state, h), of(t) {}

std::string_view task::name() const { return given_name.empty() && code ? std::string_view(code->name) : given_name; }

bool task::is_allowed_on(const execution_place& at) const {
  if (only_place != any_place) return at.view.index == only_place;
  return at.is_of(only_kinds, only_driver);
}

bool task::can_run_on(const execution_place& at) const {
  return is_allowed_on(at) && !at.is_lost && (at.device || !code || code->run) && has_groups_for(at) &&
         std::ranges::find(excluded_places, at.view.index) == excluded_places.end() &&
         (state.unusable.empty() || !state.unusable.contains({code, at.view.index}));
}

bool task::has_groups_for(const execution_place& at) const {
  if (!code || !code->in_groups || !at.device) return true;
  const device::properties& is = at.device->is().about();
  return group_items <= is.most_items_per_group && local_bytes <= is.local_memory_bytes &&
         (state.too_large.empty() || !state.too_large.contains({code, at.view.index, group_items, local_bytes}));
}

// If no place can run the task, any allowed place may take it, and reports the error.
bool task::may_run_on(const device_view& d) const {
  const execution_place& at = state.execution_places[d.index];
  return can_run_on(at) ||
         (is_allowed_on(at) &&
          std::ranges::none_of(state.execution_places, [&](const execution_place& s) { return can_run_on(s); }));
}

std::uint64_t task::kind() const { return reinterpret_cast<std::uintptr_t>(code) << 6 | speeds::class_of(items()); }

std::uint64_t task::bytes_at(const device_view& d) const {
  std::uint64_t bytes = 0;
  for (const object_use& u : uses)
    if (needs_copy(u))
      bytes += u.object.get()->valid_for(state.execution_places[d.index], u.where) * u.object.get()->element_bytes;
  return bytes;
}

std::uint64_t task::missing_bytes(const device_view& d) const {
  if (needed_bytes_ == not_known) {
    needed_bytes_ = 0;
    for (const object_use& u : uses)
      if (needs_copy(u)) needed_bytes_ += u.where.volume() * u.object.get()->element_bytes;
  }
  return needed_bytes_ - std::min(needed_bytes_, bytes_at(d));
}

std::uint64_t task::items() const {
  if (items_ == not_known) items_ = range->ids.volume();
  return items_;
}

double task::transfer_seconds(const device_view& d) const {
  return static_cast<double>(missing_bytes(d)) / state.bytes_per_second;
}

std::optional<double> task::predicted_seconds(const device_view& d) const {
  return state.measured.predict(state.speed_number(*code, d.index), items());
}

boost::container::small_vector<detail::launch_item, 4> task::arguments() const {
  boost::container::small_vector<detail::launch_item, 4> all(code->parameters.size());
  auto use = uses.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_array(code->parameters[i])) continue;
    all[i].array = use->instance;
    all[i].part = &use->where;
    ++use;
  }
  values->each(*code, [&](std::size_t i, const std::byte* at) {
    if (code->parameters[i].mode == access::value) all[i].value = at;
    else std::memcpy(&all[i].local_elements, at, sizeof all[i].local_elements);
  });
  return all;
}

data::piece_arguments task::piece() const {
  data::piece_arguments all(code->parameters.size());
  auto use = uses.begin();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const kernel_parameter& p = code->parameters[i];
    if (!is_array(p)) continue;
    if (use->instance.record)
      all[i] = data::array_of(*use->instance.record, use->where, p), all[i].is_overwritten = p.mode == access::out;
    else all[i].stride[0] = 1;  // no element of it is used
    ++use;
  }
  values->each(*code, [&](std::size_t i, std::byte* at) { all[i].origin = at; });
  return all;
}

std::string task::describe() const {
  if (code) return "launch \"" + std::string(name()) + "\"";
  return given_name + " of " + objects::describe(*uses.front().object.get());
}

failure_ref task::current_failure() const { return detail::make_failure(std::current_exception(), describe(), where); }

failure_ref task::skipped_because_of(const failure& cause) const {
  return failure_ref::adopt(new failure(cause, describe(), where));
}

}  // namespace stretto::objects
