// buffer_launch.hpp - checks and converts the arguments of launches on buffers.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/detail/buffer_arguments.hpp>
#include <stretto/detail/value_list.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// Tags that name a place of one node, which launches on buffers cannot take.
template <class Tag>
concept names_place = std::same_as<Tag, at_place> || std::same_as<Tag, on_processor> || std::same_as<Tag, on_worker>;
struct buffer_launch : with_range_hints<object_launch> {
  bool is_to_come = false;
  void apply(reserve_elements) noexcept { is_to_come = true; }
  template <class Tag>
    requires requires(with_range_hints<object_launch> request, const Tag& tag) { request.apply(tag); }
  void apply(const Tag& tag) {
    static_assert(
        !names_place<Tag>,
        "a launch on buffers is computed by the devices of all nodes, not at one place: on(device_kind::host) or "
        "on(device_kind::gpu) says by which kind, set_weights how much each computes");
    with_range_hints<object_launch>::apply(tag);
  }
};

event launch_on_buffers(const kernel_code& code, const kernel_range& range, std::span<const buffer_item> items,
                        const buffer_launch& request);

template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer_use<T, D>> = true;
template <class T, std::size_t D>
inline constexpr bool is_buffer_argument<buffer_reduction<T, D>> = true;
template <class A>
concept buffer_argument = is_buffer_argument<A>;

/// Converts argument `Number`, from 0, of a launch on buffers for its parameter.
template <std::size_t Number, class Parameter, class Given>
struct argument_of_buffers : argument<Number, Parameter, Given> {
  using argument<Number, Parameter, Given>::argument;
  buffer_item item() const noexcept {
    const launch_item i = argument<Number, Parameter, Given>::item();
    return {.value = i.value, .local_elements = i.local_elements};
  }
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode == access::reduce)
struct argument_of_buffers<Number, Parameter, Given> {
  using reduced = buffer<typename Parameter::element, Parameter::axes>;
  using afresh = buffer_reduction<typename Parameter::element, Parameter::axes>;
  STRETTO_DETAIL_ARGUMENT(
      "must be a buffer, such as total or total.from_identity(), of the element type and the number of axes of the "
      "kernel's reduce parameter",
      std::same_as<Given, reduced> || std::same_as<Given, afresh>);
  static constexpr const reduction_kind* fold = &folding_of<typename Parameter::operation>;
  explicit argument_of_buffers(const reduced& b) noexcept : is{.buffer = &b.handle(), .fold = fold} {}
  explicit argument_of_buffers(const afresh& r) noexcept
      : is{.buffer = &r.of.handle(), .fold = fold, .includes_current = false} {}
  buffer_item item() const noexcept { return is; }
  buffer_item is;
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode != access::local && Parameter::mode != access::reduce)
struct argument_of_buffers<Number, Parameter, Given> {
  using element = std::remove_const_t<typename Parameter::element>;
  STRETTO_DETAIL_ARGUMENT(
      "must be a buffer with a mapper, such as u(one_to_one), of the element type and the number of axes of the "
      "kernel's array parameter",
      std::same_as<Given, buffer_use<element, Parameter::axes>>);
  explicit argument_of_buffers(const Given& u) noexcept : is{.buffer = &u.of.handle(), .by = &u.by} {}
  buffer_item item() const noexcept { return is; }
  buffer_item is;
};

template <class... P, class... A, std::size_t... N>
event launch_buffers_with(const buffer_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                          std::index_sequence<N...>, const A&... given) {
  const value_list<argument_of_buffers<N, P, A>...> all{{argument_of_buffers<N, P, A>(given)}...};
  const std::array<buffer_item, sizeof...(P)> items{value_at<N>(all).item()...};
  return launch_on_buffers(k.code(), range, items, request);
}
template <class... P, class... A>
event launch_buffers_checked(const buffer_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                             const A&... given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (sizeof...(A) == sizeof...(P))
    return launch_buffers_with(request, k, range, std::index_sequence_for<P...>(), given...);
  else return {};
}

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
