// kernel.hpp - a kernel: device code written once, checked by the C++ compiler, run on the host and on every device.
//
//     STRETTO_KERNEL(jacobi, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//
// Axis 0 is the slowest, as in a box: neighbours along the last axis are neighbours in memory and on the device. In
// groups, with a barrier after each region:
//
//     STRETTO_GROUP_KERNEL(sum_of_group, (in<float> x, out<float> sums, local<float> part), {
//       each_item([&](item it) { part(it.local_id(0)) = x(it.global_id(0)); });
//       for (int half = group_size(0) / 2; half > 0; half /= 2)
//         each_item([&](item it) {
//           if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
//         });
//       each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
//     })
//
// Contributions to elements that other items contribute to as well; nobody reads them before all have ended:
//
//     STRETTO_KERNEL(histogram, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0)) % 16) << 1; })
//
// A body is what C and C++ have in common, with the names of kernel_scope.hpp and, in groups, of group_scope.hpp; what
// else it uses is declared by STRETTO_DEVICE_FUNCTION, _STRUCT, _CONSTANT or _OPERATOR, and found by its name.
//
// Threads     a kernel is a constant.
// Cost        on the host, the loop that one would write by hand.
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

/// A kernel with the types of its parameters, as the macros define it.
template <class... Parameters>
class kernel<void(Parameters...)> {
 public:
  constexpr explicit kernel(const kernel_code& code) noexcept : code_(&code) {}
  constexpr const kernel_code& code() const noexcept { return *code_; }
  static constexpr std::size_t arity = sizeof...(Parameters);

 private:
  const kernel_code* code_;
};

}  // namespace stretto

/// Defines the kernel `name`, computed item by item over a range.
#define STRETTO_KERNEL(name, parameters, ...)                                                                         \
  STRETTO_DETAIL_KERNEL(name, item_scope, run_items, run_items_checked, false, parameters, #parameters, #__VA_ARGS__, \
                        __VA_ARGS__)

/// Defines the kernel `name`, whose body is that of a group: each_item is a region with a barrier after it.
#define STRETTO_GROUP_KERNEL(name, parameters, ...)                                                       \
  STRETTO_DETAIL_KERNEL(name, group_scope, run_groups, run_groups_checked, true, parameters, #parameters, \
                        #__VA_ARGS__, __VA_ARGS__)

/// In the body of a kernel, a loop whose steps all items of the launch share: `index` runs through the item's share of
/// [first, last). On the host a share is in one piece, on devices neighbouring items take neighbouring steps.
///
///     STRETTO_FOREACH(i, 0, n) y(i) += a * x(i);
#define STRETTO_FOREACH(index, first, last)                                                                        \
  for (std::int64_t index = this->share_bound(first, last, 0), end_of_##index = this->share_bound(first, last, 1); \
       index < end_of_##index; ++index)

/// Defines a function that kernels may call: type, name, parameters, body.
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

/// Defines a structure that host and devices share: name, {members}.
#define STRETTO_DEVICE_STRUCT(name, ...)                                                                        \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                        \
  struct name __VA_ARGS__;                                                                                      \
  static_assert(::stretto::kernels::device_type<name>, "a structure for devices has plain members only");       \
  [[maybe_unused]] constexpr ::std::string_view stretto_name_on_devices(const name*) noexcept { return #name; } \
  STRETTO_DETAIL_UNSHARED                                                                                       \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::structure, #name, "", "",       \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

/// Defines an operator of the program's own by which kernels contribute, and host tasks reduce: its name, the type of
/// the elements, a STRETTO_DEVICE_FUNCTION of two of them, and the element that changes nothing. What the function
/// gives may depend neither on the order nor on how the values are grouped.
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
/// On devices an element is changed behind a lock, on the host by compare and swap where it has 1, 2, 4 or 8 bytes.
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

/// Defines a constant that host and devices share: type, name, value.
#define STRETTO_DEVICE_CONSTANT(type, name, ...)                                                            \
  namespace what_devices_share_is_defined_in_the_scope_of_a_namespace {}                                    \
  inline constexpr type name = __VA_ARGS__;                                                                 \
  STRETTO_DETAIL_UNSHARED                                                                                   \
  inline const ::stretto::device_text name##_text(::stretto::device_text::what::constant, #name, #type, "", \
                                                  #__VA_ARGS__, __FILE__, __LINE__);

STRETTO_API_END
