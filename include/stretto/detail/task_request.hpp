// task_request.hpp - the request that the tags of a task fill, for the compiled core.
#pragma once

#include <stretto/detail/tags.hpp>
#include <stretto/event.hpp>
#include <stretto/future.hpp>
#include <stretto/place.hpp>
#include <stretto/task_tags.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The place, worker, priority and name of a task.
struct placing_request {
  place at;
  place on;
  std::uint32_t worker = 0xffffffffu;
  int priority = 0;
  std::string_view name;

  void apply(at_place p) noexcept { at = p.where; }
  void apply(on_processor p) noexcept { on = p.where; }
  void apply(on_worker w) noexcept { worker = w.which.index; }
  void apply(task_priority p) noexcept { priority = p.value; }
  void apply(task_name n) noexcept { name = n.text; }
};

/// The tags of one async.
struct task_request : placing_request {
  std::span<const dependency> after;
  std::span<const event> after_events;
  future<operation_profile>* profile = nullptr;

  using placing_request::apply;
  void apply(std::span<const dependency> d) noexcept { after = d; }
  void apply(after_range r) noexcept { after_events = r.items; }
  void apply(profile_into p) noexcept { profile = p.into; }
};

template <std::size_t N>
struct subject_of<after_list<N>> {
  using type = after_range;
};
template <>
struct subject_of<std::span<const dependency>> {
  using type = after_range;
};
template <>
struct subject_of<on_processor> {
  using type = at_place;
};
template <>
struct subject_of<on_worker> {
  using type = at_place;
};

template <class Tag>
concept task_tag = tag_of<Tag, task_request>;

}  // namespace stretto::detail

STRETTO_API_END
