// launch_arguments.hpp - checks and converts the arguments of launches on instances.
#pragma once

#include <stretto/detail/instance_handle.hpp>
#include <stretto/detail/task_request.hpp>
#include <stretto/detail/value_list.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/kernel_range.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class Op, std::size_t D>
class reduction_instance;

namespace detail {

/// Arguments of launches on objects or buffers, which have overloads of their own (object_launch.hpp,
/// buffer_launch.hpp).
template <class T>
inline constexpr bool is_object_argument = false;
template <class T>
inline constexpr bool is_buffer_argument = false;
template <class... A>
concept instance_arguments = ((!is_object_argument<A> && !is_buffer_argument<A>) && ...);

/// The untyped form of an argument: an instance, the address of a value, or a size.
struct launch_item {
  instance_handle array{};
  const void* value = nullptr;
  std::int64_t local_elements = 0;
  const box* part =
      nullptr;  // the part of the array that the kernel may use; null: all. Valid until the launch has ended
  const allowed_elements* allowed = nullptr;  // the elements of that part, if not all; valid as long
  touched_elements* touched = nullptr;        // records the accesses of a checked kernel on the host; valid as long
};

event launch_kernel(const kernel_code& code, const kernel_range& range, std::span<const launch_item> items,
                    task_request request);

// Fails to compile with this text about argument `Number`, from 0, unless the condition holds. Messages must be
// literals, hence one for each usual number.
#define STRETTO_DETAIL_ARGUMENT(text, ...)                                       \
  static_assert(Number != 0 || (__VA_ARGS__), "argument 1 of the launch " text); \
  static_assert(Number != 1 || (__VA_ARGS__), "argument 2 of the launch " text); \
  static_assert(Number != 2 || (__VA_ARGS__), "argument 3 of the launch " text); \
  static_assert(Number != 3 || (__VA_ARGS__), "argument 4 of the launch " text); \
  static_assert(Number != 4 || (__VA_ARGS__), "argument 5 of the launch " text); \
  static_assert(Number != 5 || (__VA_ARGS__), "argument 6 of the launch " text); \
  static_assert(Number != 6 || (__VA_ARGS__), "argument 7 of the launch " text); \
  static_assert(Number != 7 || (__VA_ARGS__), "argument 8 of the launch " text); \
  static_assert(Number < 8 || (__VA_ARGS__), "an argument of the launch behind the eighth " text)

/// Converts argument `Number`, from 0, of a launch for its parameter.
template <std::size_t Number, class Parameter, class Given>
struct argument {
  STRETTO_DETAIL_ARGUMENT("does not convert to the type of the kernel's value parameter",
                          std::convertible_to<const Given&, Parameter>);
  explicit argument(const Given& given) : value(static_cast<Parameter>(given)) {}
  launch_item item() const noexcept { return {.value = &value}; }
  Parameter value;
};

template <std::size_t Number, kernels::array_parameter Parameter, class Given>
struct argument<Number, Parameter, Given> {
  STRETTO_DETAIL_ARGUMENT(
      "must be an instance with the element type and the number of axes of the kernel's array parameter",
      std::same_as<Given, instance<typename Parameter::element, Parameter::axes>>);
  explicit argument(const Given& given) noexcept : array(given.handle()) {}
  launch_item item() const noexcept { return {.array = array}; }
  instance_handle array;
};
template <std::size_t Number, kernels::array_parameter Parameter, class Given>
  requires(Parameter::mode == access::local)
struct argument<Number, Parameter, Given> {
  STRETTO_DETAIL_ARGUMENT("must be a local_size: the kernel's parameter is memory of a group",
                          std::same_as<Given, local_size>);
  explicit argument(const Given& given) noexcept : size(given) {}
  launch_item item() const noexcept { return {.local_elements = size.elements}; }
  local_size size;
};

template <std::size_t Number, kernels::array_parameter Parameter, class Op, std::size_t D>
  requires(Parameter::mode == access::reduce)
struct argument<Number, Parameter, reduction_instance<Op, D>> {
  STRETTO_DETAIL_ARGUMENT(
      "must be an instance, or a reduction by the operator and with the number of axes of the kernel's parameter",
      std::same_as<Op, typename Parameter::operation>&& D == Parameter::axes);
  explicit argument(const reduction_instance<Op, D>& given) noexcept : array(given.handle()) {}
  launch_item item() const noexcept { return {.array = array}; }
  instance_handle array;
};

template <class... P, class... A, std::size_t... N>
event launch_with(const kernel<void(P...)>& k, const kernel_range& range, const task_request& request,
                  std::index_sequence<N...>, const A&... given) {
  const value_list<argument<N, P, A>...> all{{argument<N, P, A>(given)}...};
  const std::array<launch_item, sizeof...(P)> items{value_at<N>(all).item()...};
  return launch_kernel(k.code(), range, items, request);
}

template <class... P, class... A>
event launch_checked(const task_request& request, const kernel<void(P...)>& k, const kernel_range& range,
                     const A&... given) {
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (sizeof...(A) == sizeof...(P))
    return launch_with(k, range, request, std::index_sequence_for<P...>(), given...);
  else return {};
}

}  // namespace detail

}  // namespace stretto

STRETTO_API_END
