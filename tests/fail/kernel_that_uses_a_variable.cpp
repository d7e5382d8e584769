// A kernel is no lambda: what it needs of a function's variables is a value that the launch gives.
// expect: use of parameter from containing function
// expect: no matching function for call to 'argument_named<n>
#include <stretto/kernel_template.hpp>

void in_a_function(int n) {
  constexpr int width = 4;
  STRETTO_SCOPED_KERNEL_USING((int width), sound, (inout<int> x, int n), { x(global_id(0)) += n * width; })
  STRETTO_SCOPED_KERNEL(unsound, (inout<int> x), { x(global_id(0)) += n; })                     // fails
  STRETTO_SCOPED_KERNEL_USING((int n), unsound_too, (inout<int> x), { x(global_id(0)) += n; })  // fails
}
