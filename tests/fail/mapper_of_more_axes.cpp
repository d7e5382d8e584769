// transposed exchanges two axes, and a buffer or an object of one axis has one: refused where it is written.
// expect: transposed exchanges two axes: a buffer of one axis has none to exchange
#include <stretto/buffer.hpp>

STRETTO_KERNEL(turn, (in<float, 2> x, out<float, 2> y),
               { y(global_id(0), global_id(1)) = x(global_id(1), global_id(0)); })

void sound(stretto::buffer<float, 2> x, stretto::buffer<float, 2> y, stretto::buffer<float> line) {
  stretto::launch(turn, y.elements(), x(stretto::transposed), y(stretto::one_to_one));
  (void)line(stretto::transposed);  // fails
}
