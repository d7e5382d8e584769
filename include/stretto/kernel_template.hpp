// kernel_template.hpp - kernel templates, and kernels in the scope of a function or a class.
//
//     STRETTO_KERNEL_TEMPLATE((class T, int N), smooth, (in<T> u, out<T> v), {
//       int i = global_id(0);
//       T sum = u(i);
//       for (int d = 1; d <= N; ++d) sum += u(i - d) + u(i + d);
//       v(i) = sum / (2 * N + 1);
//     })
//     template <class T>
//     struct solver {
//       STRETTO_SCOPED_KERNEL_USING((class T), twice, (in<T> u, out<T> v), { v(global_id(0)) = 2 * u(global_id(0)); })
//     };
//     void smooth_and_double(const object<float>& u, const object<float>& v, coordinate n) {
//       launch(smooth<float, 3>, box(3, n - 3), u, v);
//       launch(solver<float>::twice, box(0, n), u, v);
//     }
//
// Each instantiation of a template is a kernel with its own name, such as "smooth<float, 3>". Device code contains the
// types and numbers of its arguments.
//
// Threads     a kernel is a constant.
// Cost        as of kernel.hpp; each instantiation is compiled separately, for the host and for devices.
#pragma once

#include <stretto/detail/template_arguments.hpp>
#include <stretto/detail/template_definition.hpp>
#include <stretto/kernel.hpp>

STRETTO_API_BEGIN

/// Defines the kernels name<T, N>, whose body runs once per item: template parameters in brackets, name, parameters in
/// brackets, body. A template parameter is `class T`, for a number, bool, a short vector or a STRETTO_DEVICE_STRUCT, or
/// an integer whose type is one word (int N, size_t N, uint32_t N). At most six.
#define STRETTO_KERNEL_TEMPLATE(list, name, parameters, ...)                                                  \
  STRETTO_DETAIL_KERNEL_TEMPLATE(list, #list, name, item_scope, false, parameters, #parameters, #__VA_ARGS__, \
                                 __VA_ARGS__)

/// As STRETTO_KERNEL_TEMPLATE, for group kernels, whose body runs once per group.
#define STRETTO_GROUP_KERNEL_TEMPLATE(list, name, parameters, ...)                                            \
  STRETTO_DETAIL_KERNEL_TEMPLATE(list, #list, name, group_scope, true, parameters, #parameters, #__VA_ARGS__, \
                                 __VA_ARGS__)

/// Defines a kernel in the scope of a function, or as a static member of a class. Its body cannot use names of that
/// scope; pass variables of the function as arguments. Not for the scope of a namespace, where kernels of the same name
/// in two files would be one.
#define STRETTO_SCOPED_KERNEL(name, parameters, ...) \
  STRETTO_DETAIL_SCOPED_KERNEL(name, item_scope, false, (), parameters, #parameters, #__VA_ARGS__, __VA_ARGS__)
/// As STRETTO_SCOPED_KERNEL, for group kernels.
#define STRETTO_SCOPED_GROUP_KERNEL(name, parameters, ...) \
  STRETTO_DETAIL_SCOPED_KERNEL(name, group_scope, true, (), parameters, #parameters, #__VA_ARGS__, __VA_ARGS__)

/// As STRETTO_SCOPED_KERNEL, for a body that uses types and integers of the scope: template parameters of the enclosing
/// template, aliases and constants. They are listed in brackets, as template parameters.
#define STRETTO_SCOPED_KERNEL_USING(list, name, parameters, ...)                                                    \
  STRETTO_DETAIL_SCOPED_KERNEL(name, item_scope, false, STRETTO_DETAIL_ARGUMENTS_OF(list), parameters, #parameters, \
                               #__VA_ARGS__, __VA_ARGS__)
/// As STRETTO_SCOPED_KERNEL_USING, for group kernels.
#define STRETTO_SCOPED_GROUP_KERNEL_USING(list, name, parameters, ...)                                              \
  STRETTO_DETAIL_SCOPED_KERNEL(name, group_scope, true, STRETTO_DETAIL_ARGUMENTS_OF(list), parameters, #parameters, \
                               #__VA_ARGS__, __VA_ARGS__)

STRETTO_API_END
