// kernel_definition.hpp - the expansion of STRETTO_KERNEL and STRETTO_GROUP_KERNEL.
#pragma once

#include <stretto/detail/host_body.hpp>
#include <stretto/detail/kernel_rules.hpp>
#include <stretto/kernel_code.hpp>

#include <cstdint>

STRETTO_API_BEGIN

// Kernels of the same name in two source files are two kernels: their types differ by a key of their text, and each
// file has its own constant. The same holds for device functions; device_texts.hpp resolves the names that a kernel
// uses. In any scope but that of a namespace, the first declaration fails to compile, and its name is the message. The
// macros pass the texts as strings, because arguments of inner macros would be expanded, and devices need the original
// text.
#define STRETTO_DETAIL_KERNEL(name, scope, plain, checked, groups, parameters, parameter_text, body_text, ...)     \
  namespace in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL {}                                                  \
  template <std::uint64_t Key>                                                                                     \
  struct name##_kernel;                                                                                            \
  template <>                                                                                                      \
  struct STRETTO_DETAIL_UNSHARED name##_kernel<::stretto::detail::key_of(__FILE__, parameter_text, body_text)> {   \
    struct body : ::stretto::kernels::scope<false> {                                                               \
      [[gnu::always_inline]] inline void operator() parameters const __VA_ARGS__                                   \
    };                                                                                                             \
    struct checked_body : ::stretto::kernels::scope<true> {                                                        \
      void operator() parameters const __VA_ARGS__                                                                 \
    };                                                                                                             \
    using host = ::stretto::detail::host_body<body, &body::operator()>;                                            \
    using checked_host = ::stretto::detail::host_body<checked_body, &checked_body::operator()>;                    \
    static_assert(::stretto::detail::body_is_portable(body_text, groups));                                         \
    static constexpr ::stretto::kernel_code code{#name,                                                            \
                                                 parameter_text,                                                   \
                                                 body_text,                                                        \
                                                 __FILE__,                                                         \
                                                 __LINE__,                                                         \
                                                 groups,                                                           \
                                                 host::table,                                                      \
                                                 &host::plain,                                                     \
                                                 &checked_host::checked,                                           \
                                                 &host::run_dense,                                                 \
                                                 ::stretto::kernels::has_wide_vectors ? &host::run_wide : nullptr, \
                                                 ::stretto::detail::says(body_text, "denormals_are_zero")};        \
  };                                                                                                               \
  using name##_kernel_type = name##_kernel<::stretto::detail::key_of(__FILE__, parameter_text, body_text)>;        \
  [[maybe_unused]] constexpr ::stretto::                                                                           \
      kernel<::stretto::detail::signature_of<decltype(&name##_kernel_type::body::operator())>::type> name(         \
          name##_kernel_type::code);

STRETTO_API_END
