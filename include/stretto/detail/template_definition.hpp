// template_definition.hpp - the expansion of the macros of kernel_template.hpp.
#pragma once

#include <stretto/detail/template_arguments.hpp>

#include <cstdint>

STRETTO_API_BEGIN

// Applies a macro to each parameter of a list: STRETTO_DETAIL_EACH(M, class T, int N) is M(class T), M(int N).
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
// The name of a parameter: `class T` becomes T, because the word before it completes the name of an empty macro. With
// any other word, the undefined name is the compiler's message.
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

// The scope of a function or a class does not allow specialisations of class templates, and local classes have no
// static members.
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

// As in kernel_definition.hpp, the types of templates of the same name in two files differ by a key.
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

STRETTO_API_END
