// A pointer of the host means nothing on a device.
// expect: not pointers, references or classes
#include <stretto/kernel.hpp>

STRETTO_KERNEL(sound, (inout<int> x, int n), { x(global_id(0)) += n; })
STRETTO_KERNEL(unsound, (inout<int> x, int* n), { x(global_id(0)) += n[0]; })  // fails
