// Text is no number: the third argument, which stands for the kernel's value.
// expect: argument 3 of the launch does not convert to the type of the kernel's value parameter
#include <stretto/launch.hpp>

STRETTO_KERNEL(scale, (in<float> x, out<float> y, float c), { y(global_id(0)) = c * x(global_id(0)); })

void sound(stretto::instance<float> x, stretto::instance<float> y) {
  stretto::launch(scale, stretto::box(0, 4), x, y, 2);
  stretto::launch(scale, stretto::box(0, 4), x, y, "2");  // fails
}
