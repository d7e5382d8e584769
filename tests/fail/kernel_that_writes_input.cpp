// An array that is declared as read cannot be written: declared and real access cannot differ.
// expect: assignment of read-only location
#include <stretto/kernel.hpp>

STRETTO_KERNEL(sound, (in<int> x, out<int> y), { y(global_id(0)) = x(global_id(0)); })
STRETTO_KERNEL(unsound, (in<int> x, out<int> y), { x(global_id(0)) = y(global_id(0)); })  // fails
