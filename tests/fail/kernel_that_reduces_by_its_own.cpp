// Operators of the program have a text for devices only by STRETTO_DEVICE_OPERATOR.
// expect: a kernel contributes by sum, product, minimum, maximum, bit_and, bit_or or bit_xor
#include <stretto/kernel.hpp>

struct longest {
  using lhs_type = int;
  using rhs_type = int;
  static int identity() { return 0; }
  static void apply(int& l, int r) { l = l < r ? r : l; }
  static void fold(int& l, int r) { l = l < r ? r : l; }
};
STRETTO_KERNEL(sound, (reduce<stretto::maximum<int>> s), { s(0) << 1; })
STRETTO_KERNEL(unsound, (reduce<longest> s), { s(0) << 1; })  // fails
