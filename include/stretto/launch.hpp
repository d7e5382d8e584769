// launch.hpp - computing a kernel over a range, on arrays that are instances, where these are: on the host or a device.
//
//     auto stepped = launch(jacobi, box({1, 1}, {n - 1, n - 1}), u, v, 0.1f);
//     auto next = launch(after(stepped), name("second half"), jacobi, interior, v, u, 0.1f);
//     launch(sum_of_group, in_groups({0, 64}, 256), x, sums, local_size{256});
//
// Threads     any thread of the runtime.
// Memory      what a launch wrote is visible to who waits for its event; launches on the same elements are ordered by
//             `after`, or not at all.
// Cost        on the host one task, and for more than a few thousand items one per chunk of the range: about eight per
//             worker. On a device the driver's cost, in the call if it waits for nothing but work of the same device;
//             the first launch of a kernel on a device compiles it.
// Invariants  (1) it waits by itself until its instances exist. (2) if a precondition is poisoned nothing is written.
//             (3) each item of the range is computed once, in any order.
#pragma once

#include <stretto/forasync.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The items of a launch: a box of ids, or of groups. A box becomes one by itself.
struct kernel_range {
  kernel_range(const box& items, std::source_location called = std::source_location::current())
      : ids(items), where(called) {}
  kernel_range(const box& groups, const extent& items_of_group, const std::source_location& called)
      : ids(groups), group(items_of_group), is_of_groups(true), where(called) {}

  box ids;  // of items, or of groups
  extent group = unit;
  bool is_of_groups = false;
  std::source_location where;  // of the launch
};

/// The range of a group kernel: which groups, and the items of each.
inline kernel_range in_groups(const box& groups, const extent& items_of_group,
                              std::source_location where = std::source_location::current()) {
  return {groups, items_of_group, where};
}

/// What stands for a parameter local<T>: how many elements each group gets.
struct local_size {
  std::int64_t elements = 0;
};

template <class Op, std::size_t D>
class reduction_instance;

namespace detail {

/// Arguments that make a launch one on objects or buffers, which is another matter (object.hpp, buffer_launch.hpp).
template <class T>
inline constexpr bool is_object_argument = false;
template <class T>
inline constexpr bool is_buffer_argument = false;
template <class... A>
concept instance_arguments = ((!is_object_argument<A> && !is_buffer_argument<A>) && ...);

/// What the compiled core is told of an argument: an instance, or where a value is, or a size.
struct launch_item {
  instance_handle array{};
  const void* value = nullptr;
  std::int64_t local_elements = 0;
  const box* part =
      nullptr;  // of the array, what the kernel may use; null: all of it. Lasts until the launch has ended
  const allowed_elements* allowed = nullptr;  // of that part, if not all of it; lasts likewise
  touched_elements* touched = nullptr;  // where it notes what it used, if it is checked and on the host; lasts likewise
};

event launch_kernel(const kernel_code& code, const kernel_range& range, std::span<const launch_item> items,
                    task_request request);

// What is said of argument `Number`, which counts from 0, unless the condition behind the text holds. Messages are
// literals: one for each number that an argument has in most launches.
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

/// How argument `Number` of a launch stands for its parameter; the numbers count from 0.
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
  const std::tuple<argument<N, P, A>...> all{argument<N, P, A>(given)...};
  const std::array<launch_item, sizeof...(P)> items{std::get<N>(all).item()...};
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

/// Computes `k` for every id of `range`: on the device whose memory holds the arrays, on the workers if the host's
/// does.
///
///   tags     any of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"),
///            profile(into), in any order, before the kernel; the name of the kernel is the launch's where none is
///            given. On a worker, or a processor of the host, one worker computes all of it. Without arrays on(device)
///            says where; a device's queues know no priorities
///   given    for in, out, inout and reduce an instance, for a value something that converts to it, for local a
///   local_size; for reduce
///            also a reduction_instance, to which the items contribute as to a shared fold, on the host or the device
///            whose memory it is in
///   returns  an event, poisoned with what a checked kernel finds (K01; option check), with K02, with D01, or with what
///            a device says (K20 to K23, K30, K31)
///   throws   K24 if a group kernel is given no groups, or another one some; K25 for groups of fewer than one item; K28
///   for
///            arrays in different memories, or not in that of the device named, or in a device's where a worker is; K12
///            and K13 where the device cannot run the kernel; what async throws
template <class... P, class... A>
  requires(detail::instance_arguments<A...>)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_checked({}, k, range, given...);
}
template <class... A>
  requires detail::instance_arguments<A...>
event launch(detail::first_tag<detail::task_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                      const auto&... given) {
        return detail::launch_checked(first.request, k, detail::range_at<kernel_range>(range, first.where), given...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
