// Devices have a name for numbers, short vectors and what STRETTO_DEVICE_STRUCT defines, and for no other type.
// expect: devices have no name for other types
// expect: STRETTO_a_template_parameter_is_a_class_or_an_integer_in_one_word_not_std
#include <stretto/kernel_template.hpp>

#include <cstddef>

struct of_the_host {
  float x;
};

STRETTO_KERNEL_TEMPLATE((class T, int N), filled, (out<T> x), { x(global_id(0)) = x(N); })
STRETTO_KERNEL_TEMPLATE((class T), copied, (in<T> x, out<T> y), { y(global_id(0)) = x(global_id(0)); })
STRETTO_KERNEL_TEMPLATE((std::size_t N), sized, (out<int> x), { x(global_id(0)) = N; })  // fails

const auto& sound = filled<float, 3>.code();
const auto& unsound = copied<of_the_host>.code();  // fails
