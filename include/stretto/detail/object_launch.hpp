// object_launch.hpp - checks and converts the arguments of launches on objects.
#pragma once

#include <stretto/detail/object_handle.hpp>
#include <stretto/detail/value_list.hpp>
#include <stretto/device_kind.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/mapper.hpp>
#include <stretto/task.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class object;
template <class T, std::size_t D>
struct tile;
template <class T, std::size_t D>
struct mapped;

namespace detail {

/// The untyped form of an argument: an object with a part or a mapper, the address of a value, or a size.
struct object_item {
  const object_handle* object = nullptr;
  box part = {};
  bool is_tile = false;
  const std::function<box(const box&, const box&)>* mapped = nullptr;  // by part of the range and the whole range
  mapper_form form = {};                                               // of that
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};
struct object_launch : task_request {
  on_kinds kinds = {};  // none: any
  std::string_view driver = {};
  extent multiple = unit;  // the range is split at multiples of this

  void apply(const split_constraint& c) noexcept { multiple = c.multiple; }
  void apply(on_kinds k) noexcept { kinds = k; }
  void apply(on_driver d) noexcept { driver = d.name; }
  template <class Tag>
    requires requires(task_request request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) noexcept {
    static_assert(!std::same_as<Tag, on_worker>,
                  "a launch on objects or buffers is computed by devices or by all workers, not by one: "
                  "on(device_kind::host) says by the workers");
    static_assert(!std::same_as<Tag, profile_into>,
                  "a launch on objects or buffers may become several, and has no profile of its own: a "
                  "trace shows each part");
    task_request::apply(tag);
  }
};

event launch_on_objects(const kernel_code& code, const kernel_range& range, std::span<const object_item> items,
                        const object_launch& request);

template <class T, std::size_t D>
inline constexpr bool is_object_argument<object<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_object_argument<tile<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_object_argument<mapped<T, D>> = true;
template <class A>
concept object_argument = is_object_argument<A>;

/// Converts argument `Number`, from 0, of a launch on objects for its parameter.
template <std::size_t Number, class Parameter, class Given>
struct argument_of_objects : argument<Number, Parameter, Given> {
  using argument<Number, Parameter, Given>::argument;
  object_item item() const noexcept {
    const launch_item i = argument<Number, Parameter, Given>::item();
    return {.value = i.value, .local_elements = i.local_elements};
  }
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode != access::local)
struct argument_of_objects<Number, Parameter, Given> {
  using element = std::remove_const_t<typename Parameter::element>;
  STRETTO_DETAIL_ARGUMENT(
      "must be an object, or a tile of one, with the element type and the number of axes of the kernel's array "
      "parameter",
      std::same_as<Given, object<element, Parameter::axes>> || std::same_as<Given, tile<element, Parameter::axes>> ||
          std::same_as<Given, mapped<element, Parameter::axes>>);
  explicit argument_of_objects(const object<element, Parameter::axes>& o) noexcept : is{.object = &o.handle()} {}
  explicit argument_of_objects(const tile<element, Parameter::axes>& t) noexcept
      : is{.object = &t.of.handle(), .part = t.part, .is_tile = true} {}
  explicit argument_of_objects(const mapped<element, Parameter::axes>& m) noexcept
      : is{.object = &m.of.handle(), .mapped = &m.part, .form = m.form} {}
  object_item item() const noexcept { return is; }
  object_item is;
};

/// Calls `what` with the untyped form of the arguments.
template <class... P, class... A, std::size_t... N, class What>
auto with_object_items(const kernel<void(P...)>&, std::index_sequence<N...>, What&& what, const A&... given) {
  const value_list<argument_of_objects<N, P, A>...> all{{argument_of_objects<N, P, A>(given)}...};
  const std::array<object_item, sizeof...(P)> items{value_at<N>(all).item()...};
  return what(std::span<const object_item>(items));
}

template <class... P, class... A>
event launch_objects_checked(const object_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                             const A&... given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (sizeof...(A) == sizeof...(P))
    return with_object_items(
        k, std::index_sequence_for<P...>(),
        [&](std::span<const object_item> items) { return launch_on_objects(k.code(), range, items, request); },
        given...);
  else return {};
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
