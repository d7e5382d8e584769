// A directive in a body: only one branch would reach devices, and compilers say so where they are asked to be strict.
// with: -pedantic-errors
// expect: embedding a directive within macro arguments is not portable
#include <stretto/kernel.hpp>

STRETTO_KERNEL(chosen, (inout<float> x), {
#ifdef FAST  // fails
  x(global_id(0)) = 1;
#else   // fails
  x(global_id(0)) = 2;
#endif  // fails
})
