// A buffer alone does not say which elements each chunk uses.
// expect: argument 1 of the launch must be a buffer with a mapper, such as u(one_to_one)
#include <stretto/buffer.hpp>

STRETTO_KERNEL(scale, (in<float> x, out<float> y, float c), { y(global_id(0)) = c * x(global_id(0)); })

void sound(stretto::buffer<float> x, stretto::buffer<float> y) {
  stretto::launch(scale, stretto::box(0, 4), x(stretto::one_to_one), y(stretto::one_to_one), 2);
  stretto::launch(scale, stretto::box(0, 4), x, y(stretto::one_to_one), 2);  // fails
}
