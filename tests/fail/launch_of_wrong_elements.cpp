// An array of another element type, or of other axes, is not what the kernel reads.
// expect: argument 2 of the launch must be an instance with the element type and the number of axes
#include <stretto/launch.hpp>

STRETTO_KERNEL(scale, (in<float> x, out<float> y, float c), { y(global_id(0)) = c * x(global_id(0)); })

void sound(stretto::instance<float> x, stretto::instance<float> y, stretto::instance<double> z) {
  stretto::launch(scale, stretto::box(0, 4), x, y, 2);
  stretto::launch(scale, stretto::box(0, 4), x, z, 2);  // fails
}
