// Kernels and functions that go by one name in two files of a program, each what its own file says. The other file:
// tests/device/same_kernel_name_test.cpp.
#include <stretto/kernel_template.hpp>

#include "named_alike.hpp"

STRETTO_DEVICE_FUNCTION(int, changed_in_this_file, (int x), { return 2 * x; })
STRETTO_KERNEL(named_alike, (inout<int> x), { int i = global_id(0); x(i) = changed_in_this_file(x(i)); })

TEST_CASE("the kernel of the other file that goes by one name is not that of the first") { stretto::test::check_makes_of_ten(named_alike, 20); }

STRETTO_KERNEL_TEMPLATE((class T, int N), template_named_alike, (inout<T> x), { x(global_id(0)) = x(global_id(0)) - N; })

TEST_CASE("the template of the other file that goes by one name is not that of the first") {
  stretto::test::check_makes_of_ten(template_named_alike<int, 3>, 7);
}
