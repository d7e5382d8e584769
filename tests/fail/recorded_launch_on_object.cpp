// Launches on objects find their order and place when they are launched.
// expect: a recorded launch takes instances and values: launches on objects and buffers find their order and place anew
#include <stretto/object.hpp>
#include <stretto/recorded_launch.hpp>

STRETTO_KERNEL(scale, (inout<float> x, float c), { x(global_id(0)) = c * x(global_id(0)); })

void sound(stretto::object<float> x, stretto::instance<float> y) {
  stretto::recorded_graph<> g;
  stretto::launch(g, scale, stretto::box(0, 4), y, 2);
  stretto::launch(g, scale, stretto::box(0, 4), x, 2);  // fails
}
