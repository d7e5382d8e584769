// Nodes have places of their own: a launch on buffers goes to all of them.
// expect: a launch on buffers is computed by the devices of all nodes, not at one place
#include <stretto/buffer.hpp>

STRETTO_KERNEL(scale, (inout<float> x, float c), { x(global_id(0)) *= c; })

void sound(const stretto::buffer<float>& x, stretto::place somewhere) {
  stretto::launch(stretto::on(stretto::device_kind::gpu), scale, stretto::box(0, 4), x(stretto::one_to_one), 2);
  stretto::launch(stretto::on(somewhere), scale, stretto::box(0, 4), x(stretto::one_to_one), 2);  // fails
}
