// One argument is missing.
// expect: a launch gives as many arguments as the kernel has parameters
#include <stretto/launch.hpp>

STRETTO_KERNEL(scale, (in<float> x, out<float> y, float c), { y(global_id(0)) = c * x(global_id(0)); })

void sound(stretto::instance<float> x, stretto::instance<float> y) {
  stretto::launch(scale, stretto::box(0, 4), x, y, 2);
  stretto::launch(scale, stretto::box(0, 4), x, y);  // fails
}
