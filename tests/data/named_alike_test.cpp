// Kernels and functions with equal names in two files of a program: each file uses its own. The other file:
// tests/device/same_kernel_name_test.cpp.
#include <stretto/kernel_template.hpp>

#include "same_named_kernels.hpp"

STRETTO_DEVICE_FUNCTION(int, changed_in_this_file, (int x), { return 2 * x; })
STRETTO_KERNEL(named_alike, (inout<int> x), {
  int i = global_id(0);
  x(i) = changed_in_this_file(x(i));
})

TEST_CASE("kernels with equal names in two files are distinct") { stretto::test::check_makes_of_ten(named_alike, 20); }

STRETTO_KERNEL_TEMPLATE((class T, int N), template_named_alike, (inout<T> x),
                        { x(global_id(0)) = x(global_id(0)) - N; })

TEST_CASE("kernel templates with equal names in two files are distinct") {
  stretto::test::check_makes_of_ten(template_named_alike<int, 3>, 7);
}
