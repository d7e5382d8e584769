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

#include <stretto/detail/template_arguments.hpp>
#include <stretto/detail/template_definition.hpp>
#include <stretto/kernel.hpp>

STRETTO_API_BEGIN

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

STRETTO_API_END
