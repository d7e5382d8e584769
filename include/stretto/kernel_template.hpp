// kernel_template.hpp - kernels of several types: templates, and kernels in the scope of a function or a class.
//
//     STRETTO_KERNEL_TEMPLATE((class T, int N), smooth, (in<T> u, out<T> v), {
//       int i = global_id(0);
//       T sum = u(i);
//       for (int d = 1; d <= N; ++d) sum += u(i - d) + u(i + d);
//       v(i) = sum / (2 * N + 1);
//     })
//     launch(smooth<float, 3>, box(3, n - 3), u, v);
//
// Each kernel of a template is one of its own, with a name of its own: "smooth<float, 3>". Devices
// get the text with what the parameters stand for.
//
//     template <class T>
//     struct solver {
//       STRETTO_SCOPED_KERNEL_USING((class T), step, (in<T> u, out<T> v), { v(global_id(0)) = 2 * u(global_id(0)); })
//     };
//     launch(solver<double>::step, box(0, n), u, v);
//
// Threads     a kernel is a constant.
// Cost        as those of kernel.hpp; each kernel of a template is compiled by itself, for the host and for devices.
#pragma once

#include <stretto/kernel.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {
namespace detail {

/// What a type is called: by devices, and by reports. Nothing of one that devices have no name for.
struct type_name {
  std::string_view on_devices, shown;
};

template <class T>
consteval type_name name_of_number() {
  if constexpr (std::same_as<T, float>) return {"float", "float"};
  else if constexpr (std::same_as<T, double>) return {"double", "double"};
  else if constexpr (std::same_as<T, bool>) return {"bool", "bool"};
  else if constexpr (std::same_as<T, char>) return {"char", "char"};
  else if constexpr (std::same_as<T, signed char>) return {"int8_t", "int8_t"};
  else if constexpr (std::same_as<T, unsigned char>) return {"uint8_t", "uint8_t"};
  else if constexpr (std::same_as<T, short>) return {"int16_t", "int16_t"};
  else if constexpr (std::same_as<T, unsigned short>) return {"uint16_t", "uint16_t"};
  else if constexpr (std::same_as<T, int>) return {"int32_t", "int"};
  else if constexpr (std::same_as<T, unsigned>) return {"uint32_t", "unsigned"};
  else if constexpr (std::same_as<T, long>) return {"int64_t", "long"};
  else if constexpr (std::same_as<T, unsigned long>) return {"uint64_t", "unsigned long"};
  else if constexpr (std::same_as<T, long long>) return {"int64_t", "long long"};
  else if constexpr (std::same_as<T, unsigned long long>) return {"uint64_t", "unsigned long long"};
  else return {};
}
template <class T>
consteval type_name name_of_vector() {
  if constexpr (std::same_as<T, float2>) return {"float2", "float2"};
  else if constexpr (std::same_as<T, float4>) return {"float4", "float4"};
  else if constexpr (std::same_as<T, double2>) return {"double2", "double2"};
  else if constexpr (std::same_as<T, int2>) return {"int2", "int2"};
  else if constexpr (std::same_as<T, int4>) return {"int4", "int4"};
  else if constexpr (std::same_as<T, uint2>) return {"uint2", "uint2"};
  else if constexpr (std::same_as<T, uint4>) return {"uint4", "uint4"};
  else if constexpr (std::same_as<T, long2>) return {"long2", "long2"};
  else if constexpr (std::same_as<T, ulong2>) return {"ulong2", "ulong2"};
  else return {};
}
template <class T>
consteval type_name name_of_type() {
  if constexpr (std::is_arithmetic_v<T>) return name_of_number<T>();
  else if constexpr (short_vector_type<T>) return name_of_vector<T>();
  else if constexpr (requires { stretto_name_on_devices(static_cast<const T*>(nullptr)); }) {
    constexpr std::string_view name = stretto_name_on_devices(static_cast<const T*>(nullptr));
    return {name, name};
  } else return {};
}

template <class T>
consteval template_argument argument_named(std::string_view parameter) {
  constexpr type_name name = name_of_type<T>();
  static_assert(!name.shown.empty(),
                "a kernel template is for numbers, bool, short vectors and what STRETTO_DEVICE_STRUCT "
                "defines: devices have no name for other types");
  return {parameter, name.on_devices, name.shown};
}
template <auto Number>
consteval template_argument argument_named(std::string_view parameter) {
  static_assert(std::integral<decltype(Number)>,
                "a kernel template is over types and whole numbers: give another constant "
                "to the kernel as a value");
  const type_name type = name_of_number<std::remove_const_t<decltype(Number)>>();
  return {parameter, type.on_devices, {}, static_cast<std::uint64_t>(Number)};
}

template <class... Argument>
consteval std::array<template_argument, sizeof...(Argument)> arguments_of(const Argument&... all) {
  return {all...};
}

/// Counts characters, and keeps them where there is a place for them.
struct name_writer {
  char* to;
  std::size_t length = 0;

  constexpr void put(char c) {
    if (to) to[length] = c;
    ++length;
  }
  constexpr void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  constexpr void put_number(std::uint64_t n) {
    std::uint64_t unit = 1;
    while (n / unit > 9) unit *= 10;
    for (; unit; unit /= 10) put(static_cast<char>('0' + n / unit % 10));
  }
  /// "smooth<float, 3>"
  constexpr void put_name(std::string_view name, const template_argument* arguments, std::size_t count) {
    put(name);
    for (std::size_t i = 0; i < count; ++i) {
      const template_argument& a = arguments[i];
      put(i ? ", " : "<");
      if (!a.is_number()) put(a.shown);
      else if (a.type.front() == 'u' || a.type == "bool" || a.number <= ~std::uint64_t{0} >> 1) put_number(a.number);
      else put('-'), put_number(~a.number + 1);
    }
    if (count) put('>');
    put('\0');
  }
};

/// What the macros say of a kernel but for its bodies.
struct written_kernel {
  std::string_view name, parameters, body, file;
  unsigned line;
};

/// A kernel whose bodies are classes of any scope.
template <const written_kernel& Is, const auto& Arguments, bool InGroups, class Body, class CheckedBody>
struct defined_kernel {
  using host = host_body<Body, &Body::operator()>;
  using checked_host = host_body<CheckedBody, &CheckedBody::operator()>;
  using type = kernel<typename signature_of<decltype(&Body::operator())>::type>;

  static consteval std::size_t name_length() {
    name_writer count{nullptr};
    count.put_name(Is.name, Arguments.data(), Arguments.size());
    return count.length;
  }
  static consteval auto spell_name() {
    std::array<char, name_length()> text{};
    name_writer{text.data()}.put_name(Is.name, Arguments.data(), Arguments.size());
    return text;
  }
  static consteval kernel_code::host_function run(bool is_checked) {
    if constexpr (InGroups) return is_checked ? &checked_host::run_groups_checked : &host::run_groups;
    else return is_checked ? &checked_host::run_items_checked : &host::run_items;
  }
  static constexpr auto name = spell_name();
  static constexpr kernel_code code{
      .name = std::string_view(name.data(), name.size() - 1),
      .parameter_text = Is.parameters,
      .body_text = Is.body,
      .file = Is.file,
      .line = Is.line,
      .in_groups = InGroups,
      .parameters = host::table,
      .run = run(false),
      .run_checked = run(true),
      .run_dense = &host::run_dense,
      .run_wide = kernels::has_wide_vectors ? &host::run_wide : nullptr,
      .denormals_are_zero = says(Is.body, "denormals_are_zero"),
      .written_name = Is.name,
      .template_arguments = Arguments,
  };
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END

// Of a list in brackets, each parameter by a macro: STRETTO_DETAIL_EACH(M, class T, int N) is
// M(class T), M(int N).
#define STRETTO_DETAIL_BARE(...) __VA_ARGS__
#define STRETTO_DETAIL_EACH(m, ...)                                                                 \
  STRETTO_DETAIL_SEVENTH(__VA_ARGS__, STRETTO_DETAIL_SIX, STRETTO_DETAIL_FIVE, STRETTO_DETAIL_FOUR, \
                         STRETTO_DETAIL_THREE, STRETTO_DETAIL_TWO, STRETTO_DETAIL_ONE, none)        \
  (m, __VA_ARGS__)
#define STRETTO_DETAIL_SEVENTH(a, b, c, d, e, f, seventh, ...) seventh
#define STRETTO_DETAIL_ONE(m, a) m(a)
#define STRETTO_DETAIL_TWO(m, a, ...) m(a), STRETTO_DETAIL_ONE(m, __VA_ARGS__)
#define STRETTO_DETAIL_THREE(m, a, ...) m(a), STRETTO_DETAIL_TWO(m, __VA_ARGS__)
#define STRETTO_DETAIL_FOUR(m, a, ...) m(a), STRETTO_DETAIL_THREE(m, __VA_ARGS__)
#define STRETTO_DETAIL_FIVE(m, a, ...) m(a), STRETTO_DETAIL_FOUR(m, __VA_ARGS__)
#define STRETTO_DETAIL_SIX(m, a, ...) m(a), STRETTO_DETAIL_FIVE(m, __VA_ARGS__)
// `class T` is T: what stands before it becomes part of a name that stands for nothing. Of other
// words the compiler says the name.
#define STRETTO_DETAIL_NAME(parameter) STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_##parameter
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_class
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_typename
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_bool
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_char
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_short
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_int
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_unsigned
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_long
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_size_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_int8_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_int16_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_int32_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_int64_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_uint8_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_uint16_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_uint32_t
#define STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_uint64_t
#define STRETTO_DETAIL_ARGUMENT_NAMED(parameter) STRETTO_DETAIL_ARGUMENT_OF(STRETTO_DETAIL_NAME(parameter))
#define STRETTO_DETAIL_ARGUMENT_OF(name) ::stretto::detail::argument_named<name>(STRETTO_DETAIL_SPELLED(name))
#define STRETTO_DETAIL_SPELLED(name) #name

// In the scope of a function or a class, templates of classes cannot be specialised, and local
// classes have no static members.
#define STRETTO_DETAIL_SCOPED_KERNEL(name, scope, groups, list_of_arguments, parameters, parameter_text, body_text,  \
                                     ...)                                                                            \
  struct name##_body : ::stretto::kernels::scope<false> {                                                            \
    [[gnu::always_inline]] inline void operator() parameters const __VA_ARGS__                                       \
  };                                                                                                                 \
  struct name##_checked_body : ::stretto::kernels::scope<true> {                                                     \
    void operator() parameters const __VA_ARGS__                                                                     \
  };                                                                                                                 \
  static_assert(::stretto::detail::body_is_portable(body_text, groups));                                             \
  static constexpr ::stretto::detail::written_kernel name##_written{#name, parameter_text, body_text, __FILE__,      \
                                                                    __LINE__};                                       \
  static constexpr auto name##_arguments = ::stretto::detail::arguments_of list_of_arguments;                        \
  using name##_kernel =                                                                                              \
      ::stretto::detail::defined_kernel<name##_written, name##_arguments, groups, name##_body, name##_checked_body>; \
  [[maybe_unused]] static constexpr typename name##_kernel::type name{name##_kernel::code};

#define STRETTO_DETAIL_ARGUMENTS_OF(list) (STRETTO_DETAIL_EACH(STRETTO_DETAIL_ARGUMENT_NAMED, STRETTO_DETAIL_BARE list))

// As of kernels in kernel.hpp, the types of templates of the same name in two files differ by a
// key.
#define STRETTO_DETAIL_KERNEL_TEMPLATE(list, list_text, name, scope, groups, parameters, parameter_text, body_text,    \
                                       ...)                                                                            \
  namespace in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL_USING {}                                                \
  template <std::uint64_t Key>                                                                                         \
  struct name##_kernels;                                                                                               \
  template <>                                                                                                          \
  struct name##_kernels<::stretto::detail::key_of(__FILE__, list_text parameter_text, body_text)> {                    \
    template <STRETTO_DETAIL_BARE list>                                                                                \
    struct of {                                                                                                        \
      STRETTO_DETAIL_SCOPED_KERNEL(name, scope, groups, STRETTO_DETAIL_ARGUMENTS_OF(list), parameters, parameter_text, \
                                   body_text, __VA_ARGS__)                                                             \
    };                                                                                                                 \
  };                                                                                                                   \
  using name##_kernels_type =                                                                                          \
      name##_kernels<::stretto::detail::key_of(__FILE__, list_text parameter_text, body_text)>;                        \
  template <STRETTO_DETAIL_BARE list>                                                                                  \
  [[maybe_unused]] static constexpr auto name =                                                                        \
      name##_kernels_type::template of<STRETTO_DETAIL_EACH(STRETTO_DETAIL_NAME, STRETTO_DETAIL_BARE list)>::name;

/// Defines the kernels name<T, N>, computed item by item over a range: parameters of the template
/// in brackets, name, parameters, body. A parameter of the template is `class T`, which stands for
/// a number, bool, a short vector or a STRETTO_DEVICE_STRUCT, or an integer of one word (int N,
/// size_t N, uint32_t N). At most six.
#define STRETTO_KERNEL_TEMPLATE(list, name, parameters, ...)                                                  \
  STRETTO_DETAIL_KERNEL_TEMPLATE(list, #list, name, item_scope, false, parameters, #parameters, #__VA_ARGS__, \
                                 __VA_ARGS__)

/// The same of kernels whose body is that of a group.
#define STRETTO_GROUP_KERNEL_TEMPLATE(list, name, parameters, ...)                                            \
  STRETTO_DETAIL_KERNEL_TEMPLATE(list, #list, name, group_scope, true, parameters, #parameters, #__VA_ARGS__, \
                                 __VA_ARGS__)

/// Defines a kernel in the scope of a function, or as a static member of a class. Its body uses
/// nothing of that scope; what it needs of a function's variables is handed to it as values. Not
/// for the scope of a namespace, where kernels of two files that go by one name would be one.
#define STRETTO_SCOPED_KERNEL(name, parameters, ...) \
  STRETTO_DETAIL_SCOPED_KERNEL(name, item_scope, false, (), parameters, #parameters, #__VA_ARGS__, __VA_ARGS__)
#define STRETTO_SCOPED_GROUP_KERNEL(name, parameters, ...) \
  STRETTO_DETAIL_SCOPED_KERNEL(name, group_scope, true, (), parameters, #parameters, #__VA_ARGS__, __VA_ARGS__)

/// The same, with types and integers of the scope that the kernel uses, named in brackets as
/// parameters of a template are: those of the template that the scope is in, aliases, and
/// constants.
#define STRETTO_SCOPED_KERNEL_USING(list, name, parameters, ...)                                                    \
  STRETTO_DETAIL_SCOPED_KERNEL(name, item_scope, false, STRETTO_DETAIL_ARGUMENTS_OF(list), parameters, #parameters, \
                               #__VA_ARGS__, __VA_ARGS__)
#define STRETTO_SCOPED_GROUP_KERNEL_USING(list, name, parameters, ...)                                              \
  STRETTO_DETAIL_SCOPED_KERNEL(name, group_scope, true, STRETTO_DETAIL_ARGUMENTS_OF(list), parameters, #parameters, \
                               #__VA_ARGS__, __VA_ARGS__)
