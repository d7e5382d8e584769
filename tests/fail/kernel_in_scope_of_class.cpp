// A class has kernels by STRETTO_SCOPED_KERNEL; what is written for the scope of a namespace says so.
// expect: in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL {}
#include <stretto/kernel_template.hpp>

struct has_kernels {
  STRETTO_SCOPED_KERNEL(sound, (inout<int> x), { x(global_id(0)) += 1; })
  STRETTO_KERNEL(unsound, (inout<int> x), { x(global_id(0)) += 1; })  // fails
};
