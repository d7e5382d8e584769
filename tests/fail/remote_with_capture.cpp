// The captures of a lambda stay behind.
// expect: a lambda for another node captures nothing
#include <stretto/remote.hpp>

auto f(int x) {
  return stretto::call([](int y, int z) { return y + z; }, 1, x);
}
// clang-format off: a line at fault ends with its mark
auto g(int x) { return stretto::call([x](int y) { return x + y; }, 1); }  // fails
// clang-format on
