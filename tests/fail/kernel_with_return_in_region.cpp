// An item that leaves a region early would miss the barrier behind it on a device.
// expect: a_region_cannot_return
#include <stretto/kernel.hpp>

STRETTO_GROUP_KERNEL(sound, (inout<int> x), { each_item([&](item it) { x(it.global_id(0)) += 1; }); })
// clang-format off: a line at fault ends with its mark
STRETTO_GROUP_KERNEL(unsound, (inout<int> x), { each_item([&](item it) { if (x(0) < 0) return; }); })  // fails
// clang-format on
