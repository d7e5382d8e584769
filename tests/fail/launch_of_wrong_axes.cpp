// An object of one axis is not what a kernel of two axes reads: the message names the argument by its number.
// expect: argument 2 of the launch must be an object, or a tile of one, with the element type and the number of axes
#include <stretto/object.hpp>

STRETTO_KERNEL(transposed, (in<float, 2> x, out<float, 2> y),
               { y(global_id(1), global_id(0)) = x(global_id(0), global_id(1)); })

void sound(stretto::object<float, 2> x, stretto::object<float, 2> y, stretto::object<float> z) {
  stretto::launch(transposed, x.elements(), x, y);
  stretto::launch(transposed, x.elements(), x, z);  // fails
}
