// Devices have no exceptions; the compiler says so before a device is met.
// expect: a_kernel_cannot_throw_or_catch
#include <stretto/kernel.hpp>

STRETTO_KERNEL(sound, (inout<int> x), { x(global_id(0)) += 1; })
// clang-format off: a line at fault ends with its mark
STRETTO_KERNEL(unsound, (inout<int> x), { if (x(0) < 0) throw 1; })  // fails
// clang-format on
