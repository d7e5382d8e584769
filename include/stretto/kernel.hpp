// kernel.hpp - kernels: device code that is written once, checked by the C++ compiler, and runs on the host and on
// devices.
//
//     STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//     STRETTO_GROUP_KERNEL(first_of_group, (in<float> x, out<float> first, local<float> part), {
//       each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
//       each_item([&](item it) { if (it.local_id(0) == 0) first(group_id(0)) = part(0); });
//     })
//     STRETTO_KERNEL(histogram, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0)) % 16) << 1; })
//
//     void step(const object<float, 2>& u, const object<float, 2>& v) {
//       launch(jacobi, u.elements().widened({-1, -1}), u, v, 0.1f);
//     }
//
// Axis 0 is the slowest, as in a box: neighbours along the last axis are neighbours in memory and on the device.
// each_item runs a region for all items of a group, with a barrier after it. Items may change an element that others
// change, too, only by contributions, h(i) << value, or by atomics.
//
// A body consists of what C and C++ have in common, with the names of kernel_scope.hpp and, in groups, of
// group_scope.hpp. STRETTO_DEVICE_FUNCTION, _STRUCT, _CONSTANT and _OPERATOR define the program's own names for bodies.
//
// Threads     a kernel is a constant.
// Cost        on the host, that of a loop written by hand.
// Source      one definition for all devices: PREMA's heterogeneous tasking; regions between barriers: the hierarchical
//             parallelism of OCCA and AdaptiveCpp.
#pragma once

#include <stretto/detail/host_body.hpp>
#include <stretto/detail/kernel_definition.hpp>
#include <stretto/detail/kernel_rules.hpp>
#include <stretto/group_scope.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/kernel_scope.hpp>
#include <stretto/plain_value.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

template <class Signature>
class kernel;

/// A kernel with the types of its parameters. The macros of this header define kernels; launch runs them.
template <class... Parameters>
class kernel<void(Parameters...)> {
 public:
  /// From compiled code. For Stretto itself.
  constexpr explicit kernel(const kernel_code& code) noexcept : code_(&code) {}
  /// The compiled code and its parameters.
  constexpr const kernel_code& code() const noexcept { return *code_; }
  /// The number of parameters.
  static constexpr std::size_t arity = sizeof...(Parameters);

 private:
  const kernel_code* code_;
};

}  // namespace stretto

/// Defines the kernel `name` with parameters in brackets and a body that runs once per item. In the scope of a
/// namespace.
#define STRETTO_KERNEL(name, parameters, ...)                                                                         \
  STRETTO_DETAIL_KERNEL(name, item_scope, run_items, run_items_checked, false, parameters, #parameters, #__VA_ARGS__, \
                        __VA_ARGS__)

/// Defines the group kernel `name`, whose body runs once per group; each_item(...) is a region with a barrier after it.
/// In the scope of a namespace.
#define STRETTO_GROUP_KERNEL(name, parameters, ...)                                                       \
  STRETTO_DETAIL_KERNEL(name, group_scope, run_groups, run_groups_checked, true, parameters, #parameters, \
                        #__VA_ARGS__, __VA_ARGS__)

/// In the body of a kernel: a loop over [first, last) whose steps are distributed over all items of the launch. On the
/// host a share is contiguous; on devices neighbouring items take neighbouring steps.
///
///     STRETTO_FOREACH(i, 0, n) y(i) += a * x(i);
#define STRETTO_FOREACH(index, first, last)                                                                        \
  for (std::int64_t index = this->share_bound(first, last, 0), end_of_##index = this->share_bound(first, last, 1); \
       index < end_of_##index; ++index)

/// Defines a function that host code and kernels may call: result type, name, parameters in brackets, body.
#define STRETTO_DEVICE_FUNCTION(type, name, parameters, ...)                                                           \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                               \
  template <bool Checked, std::uint64_t Key>                                                                           \
  struct name##_function;                                                                                              \
  template <>                                                                                                          \
  struct STRETTO_DETAIL_UNSHARED                                                                                       \
      name##_function<false, ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__)>                           \
      : ::stretto::kernels::language<false> {                                                                          \
    [[gnu::always_inline]] static inline type call parameters __VA_ARGS__                                              \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct STRETTO_DETAIL_UNSHARED name##_function<true, ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__)> \
      : ::stretto::kernels::language<true> {                                                                           \
    static type call parameters __VA_ARGS__                                                                            \
  };                                                                                                                   \
  static_assert(::stretto::detail::body_is_portable(#__VA_ARGS__, false));                                             \
  [[maybe_unused]] static const ::stretto::device_text name##_text(                                                    \
      ::stretto::device_text::what::function, #name, #type, #parameters, #__VA_ARGS__, __FILE__, __LINE__);            \
  template <class... A>                                                                                                \
  [[gnu::always_inline]] static inline type name(const A&... arguments) {                                              \
    constexpr std::uint64_t key = ::stretto::detail::key_of(__FILE__, #parameters, #__VA_ARGS__);                      \
    if constexpr (requires { name##_function<false, key>::call(arguments...); })                                       \
      return name##_function<false, key>::call(arguments...);                                                          \
    else return name##_function<true, key>::call(arguments...);                                                        \
  }

/// Defines a structure for host and devices: name, {members}. Members are numbers, arrays of them, or such structures.
#define STRETTO_DEVICE_STRUCT(name, ...)                                                                        \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                        \
  struct name __VA_ARGS__;                                                                                      \
  static_assert(::stretto::kernels::device_type<name>, "a structure for devices has plain members only");       \
  [[maybe_unused]] constexpr ::std::string_view stretto_name_on_devices(const name*) noexcept { return #name; } \
  STRETTO_DETAIL_UNSHARED                                                                                       \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::structure, #name, "", "",       \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

/// Defines a reduction operator for kernels and host tasks: its name, the element type, a STRETTO_DEVICE_FUNCTION of
/// two elements, and the identity element. The function must be associative and commutative.
///
///     STRETTO_DEVICE_STRUCT(found, { float distance; int at; })
///     STRETTO_DEVICE_FUNCTION(found, nearer, (found a, found b), {
///       return b.distance < a.distance || (b.distance == a.distance && b.at < a.at) ? b : a;
///     })
///     STRETTO_DEVICE_OPERATOR(nearest, found, nearer, {1e30f, 2147483647})
///     STRETTO_KERNEL(search, (in<float> x, float to, reduce<nearest> best), {
///       found f = {fabs(x(global_id(0)) - to), (int)(global_id(0))};
///       best(0) << f;
///     })
///
/// Devices change an element under a lock; the host uses compare-and-swap for elements of 1, 2, 4 or 8 bytes.
#define STRETTO_DEVICE_OPERATOR(name, type, function, ...)                                                            \
  struct STRETTO_DETAIL_UNSHARED name {                                                                               \
    using lhs_type = type;                                                                                            \
    using rhs_type = type;                                                                                            \
    static rhs_type identity() {                                                                                      \
      const rhs_type none = __VA_ARGS__;                                                                              \
      return none;                                                                                                    \
    }                                                                                                                 \
    static void apply(lhs_type& l, const rhs_type& r) { l = function(l, r); }                                         \
    static void fold(rhs_type& l, const rhs_type& r) { l = function(l, r); }                                          \
    static void set_identity(::std::byte* to) { ::new (static_cast<void*>(to)) rhs_type(identity()); }                \
    static const ::stretto::kernel_code& fold_kernel();                                                               \
    static constexpr const ::stretto::device_operator& for_devices() noexcept { return all; }                         \
    static constexpr ::stretto::device_operator all{#name, sizeof(type), &set_identity, &fold_kernel};                \
  };                                                                                                                  \
  static_assert(::stretto::kernels::device_type<type>, "an operator for devices folds numbers or plain structures");  \
  STRETTO_DETAIL_UNSHARED                                                                                             \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::operation, #name, #type, "",          \
                                                  #function, __FILE__, __LINE__);                                     \
  STRETTO_KERNEL(fold_by_##name, (in<type, 3> from, reduce<name, 3> to),                                              \
                 { to(global_id(0), global_id(1), global_id(2)) << from(global_id(0), global_id(1), global_id(2)); }) \
  inline const ::stretto::kernel_code& name::fold_kernel() { return fold_by_##name.code(); }

/// Defines a constant for host and devices: type, name, value.
#define STRETTO_DEVICE_CONSTANT(type, name, ...)                                                            \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                    \
  inline constexpr type name = __VA_ARGS__;                                                                 \
  STRETTO_DETAIL_UNSHARED                                                                                   \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::constant, #name, #type, "", \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

STRETTO_API_END
