// Memory of a group has a size, which is not a number like others.
// expect: argument 2 of the launch must be a local_size: the kernel's parameter is memory of a group
#include <stretto/object.hpp>

STRETTO_GROUP_KERNEL(turned, (inout<float> x, local<float> kept), {
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
  each_item([&](item it) { x(it.global_id(0)) = kept(group_size(0) - 1 - it.local_id(0)); });
})

void sound(stretto::object<float> x, stretto::instance<float> y) {
  stretto::launch(turned, stretto::in_groups({0, 4}, 16), x, stretto::local_size{16});
  stretto::launch(turned, stretto::in_groups({0, 4}, 16), y, stretto::local_size{16});
  stretto::launch(turned, stretto::in_groups({0, 4}, 16), x, 16);  // fails
}
