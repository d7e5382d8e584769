// A reduction by another operator is not what a kernel contributes to, nor is one of other axes.
// expect: argument 2 of the launch must be an instance, or a reduction by the operator and with the number of axes of
// the kernel's parameter
#include <stretto/launch.hpp>
#include <stretto/reduce.hpp>

using namespace stretto;

STRETTO_KERNEL(adds_up, (in<float> x, reduce<sum<float>> s), { s(0) << x(global_id(0)); })

void sound(instance<float> x, reduction_instance<sum<float>> s, reduction_instance<maximum<float>> m) {
  launch(adds_up, box(0, 4), x, s);
  launch(adds_up, box(0, 4), x, m);  // fails
}
