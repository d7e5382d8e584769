// An element that others contribute to at the same time has no value yet.
// expect: no match for 'operator+'
#include <stretto/kernel.hpp>

STRETTO_KERNEL(sound, (in<int> x, reduce<stretto::sum<int>> s), { s(0) << x(global_id(0)); })
STRETTO_KERNEL(unsound, (inout<int> x, reduce<stretto::sum<int>> s), { x(global_id(0)) = s(0) + 1; })  // fails
