// host_task.hpp - the implementation of host tasks: tags, and the call of the function with views of buffers.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/collective_part.hpp>
#include <stretto/detail/buffer_arguments.hpp>
#include <stretto/side_effect.hpp>
#include <stretto/task.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto::detail {

enum class nodes_of_task : std::uint8_t { chunks, one, each, collective };
using host_function = std::function<void(const box& chunk, std::span<const host_elements> given)>;
struct host_task_request : with_range_hints<task_request> {
  std::vector<used_side_effect> effects;
  void apply(const side_effects_tag& t) { effects.insert(effects.end(), t.all.begin(), t.all.end()); }
  template <class Tag>
    requires requires(with_range_hints<task_request> request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(!std::same_as<Tag, profile_into>,
                  "a host task runs in several parts, or in none on a node, and has no profile of its own: a "
                  "trace shows each part");
    with_range_hints<task_request>::apply(tag);
  }
};
template <>
inline constexpr bool may_repeat<side_effects_tag> = true;
/// The tags of a collective host task, which has one id per node.
struct collective_request : host_task_request {
  template <class Tag>
    requires requires(host_task_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(!std::same_as<Tag, in_tiles_tag> && !std::same_as<Tag, in_pieces>,
                  "a collective host task has one part on each node, which is not cut");
    host_task_request::apply(tag);
  }
};
/// The number of nodes of the job, or of the assumed job of a dry run.
std::uint32_t nodes_of_buffers();
/// The nodes that run a host task. A collective task has one id per node.
struct task_nodes {
  nodes_of_task are = nodes_of_task::chunks;
  std::uint32_t group = 0;  // of a collective task
  constexpr task_nodes(nodes_of_task which, std::uint32_t of_group = 0) noexcept : are(which), group(of_group) {}
};
event run_host_task(task_nodes which, const box& range, std::span<const host_use_item> items, host_function f,
                    const host_task_request& request, const std::source_location& where);

/// Calls f(part) for parts of the box on several workers; returns when all have ended.
void for_parts_of(const box& all, const std::function<void(const box& part)>& f);

template <class A>
inline constexpr bool is_host_use = false;
template <class T, std::size_t D, access How>
inline constexpr bool is_host_use<host_use<T, D, How>> = true;
template <class T, std::size_t D, class Op>
inline constexpr bool is_host_use<host_reduction<T, D, Op>> = true;

template <class T, std::size_t D, access How>
host_use_item item_of(const host_use<T, D, How>& u) noexcept {
  return {.buffer = &u.of.handle(), .by = &u.by, .how = How, .elements = kind_of_element<T>};
}
template <class T, std::size_t D, class Op>
host_use_item item_of(const host_reduction<T, D, Op>& r) noexcept {
  return {&r.of.handle(), nullptr, access::reduce, &folding_of<Op>, r.includes_current, kind_of_element<T>};
}

/// A function whose parameters have fixed types: a checked view would convert to an unchecked one.
template <class F>
concept names_its_views = std::is_pointer_v<F> || requires { &F::operator(); };

/// Calls `f` with views, after `first`, the chunk or the collective_part, if `f` takes it. If the program is checked,
/// functions with `auto` parameters get checked views.
template <class F, class... U, class First, std::size_t... I>
void call_with_views(F& f, const First& first, std::span<const host_elements> given, std::index_sequence<I...>) {
  const auto call = [&](auto&&... views) {
    if constexpr (std::invocable<F&, const First&, typename U::view...>) f(first, std::move(views)...);
    else f(std::move(views)...);
  };
  if constexpr (!names_its_views<F>)
    if (!given.empty() && given[0].limits) return call(U::checked_view_of(given[I])...);
  call(U::view_of(given[I])...);
}

template <class F, class... U>
event host_task_with(nodes_of_task which, const box& range, const host_task_request& request,
                     const std::source_location& where, F&& f, const U&... uses) {
  static_assert(std::invocable<std::decay_t<F>&, const box&, typename U::view...> ||
                    std::invocable<std::decay_t<F>&, typename U::view...>,
                "the function of a host task takes a view of each buffer, in their order: view<const T, D> of what it "
                "reads, view<T, D> of "
                "what it writes or reduces into; and before them the box of its chunk, if it likes");
  const std::array<host_use_item, sizeof...(U)> items{item_of(uses)...};
  auto kept = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  return run_host_task(
      which, range, items,
      [kept](const box& chunk, std::span<const host_elements> given) {
        call_with_views<std::decay_t<F>, U...>(*kept, chunk, given, std::index_sequence_for<U...>());
      },
      request, where);
}

template <class F, class... U>
event collective_task_with(std::uint32_t group, const host_task_request& request, const std::source_location& where,
                           F&& f, const U&... uses) {
  static_assert(std::invocable<std::decay_t<F>&, collective_part, typename U::view...> ||
                    std::invocable<std::decay_t<F>&, typename U::view...>,
                "the function of a collective host task takes a view of each buffer, in their order; and before them a "
                "collective_part, if it likes");
  const std::array<host_use_item, sizeof...(U)> items{item_of(uses)...};
  auto kept = std::make_shared<std::decay_t<F>>(std::forward<F>(f));
  const std::uint32_t nodes = nodes_of_buffers();
  return run_host_task(
      {nodes_of_task::collective, group}, box(0, nodes), items,
      [kept, nodes, group, where](const box& chunk, std::span<const host_elements> given) {
        const collective_part part{static_cast<std::uint32_t>(chunk.min()[0]), nodes, group};
        const auto body = [&] {
          call_with_views<std::decay_t<F>, U...>(*kept, part, given, std::index_sequence_for<U...>());
        };
        run_collective_part(body, where);
      },
      request, where);
}

}  // namespace stretto::detail

STRETTO_API_END
