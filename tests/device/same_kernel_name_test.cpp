// Kernels and functions that go by one name in two files of a program, each what its own file says. The other file:
// tests/data/named_alike_test.cpp.
#include <stretto/kernel_template.hpp>

#include "same_named_kernels.hpp"

STRETTO_DEVICE_FUNCTION(int, changed_in_this_file, (int x), { return x + 1; })
STRETTO_KERNEL(named_alike, (inout<int> x), { x(global_id(0)) = changed_in_this_file(x(global_id(0))); })

TEST_CASE("a kernel of one file is not that of another file which goes by its name") {
  stretto::test::check_makes_of_ten(named_alike, 11);
}

STRETTO_KERNEL_TEMPLATE((class T, int N), template_named_alike, (inout<T> x),
                        { x(global_id(0)) = x(global_id(0)) + N; })

TEST_CASE("a kernel of a template of one file is not that of another file which goes by its name") {
  stretto::test::check_makes_of_ten(template_named_alike<int, 3>, 13);
}
