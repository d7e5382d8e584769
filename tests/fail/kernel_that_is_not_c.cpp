// A kernel that uses C++ without a counterpart on devices is refused with the name of the rule.
// expect: a_kernel_cannot_use_new_or_delete
// expect: a_kernel_cannot_use_goto
// expect: a_kernel_cannot_use_cpp_casts_templates_or_this
// expect: a_kernel_cannot_name_namespaces
// expect: a_kernel_cannot_use_static_or_thread_local
#include <stretto/kernel.hpp>

#include <cmath>

STRETTO_KERNEL(allocates, (inout<float> x), {
  delete new float();  // fails
  x(0) = 1;
})
STRETTO_KERNEL(jumps, (inout<float> x), {
  goto end;  // fails
end:         // fails
  x(0) = 1;
})
STRETTO_KERNEL(casts, (inout<float> x), {
  x(0) = static_cast<float>(1);  // fails
})
STRETTO_KERNEL(names_the_library, (inout<float> x), {
  x(0) = std::sqrt(x(0));  // fails
})
STRETTO_KERNEL(remembers, (inout<float> x), {
  static float last = 0;  // fails
  x(0) = 1;
})
