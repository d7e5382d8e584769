// In the scope of a function or a class a kernel is a STRETTO_SCOPED_KERNEL, as the compiler says in place.
// expect: in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL {}
// expect: in_a_function_or_a_class_use_STRETTO_SCOPED_KERNEL_USING {}
#include <stretto/kernel_template.hpp>

int main() {
  STRETTO_SCOPED_KERNEL(sound, (inout<int> x), { x(global_id(0)) += 1; })
  STRETTO_KERNEL(unsound, (inout<int> x), { x(global_id(0)) += 1; })                     // fails
  STRETTO_KERNEL_TEMPLATE((class T), of_types, (inout<T> x), { x(global_id(0)) += 1; })  // fails
}
