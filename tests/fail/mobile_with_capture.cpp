// A handler gets its data by arguments.
// expect: a lambda for another node captures nothing
#include <stretto/mobile.hpp>

struct counter {
  int n = 0;
};

auto f(stretto::mobile<counter> c) {
  return send(c, stretto::call([](counter& x, int by) { x.n += by; }, 1));
}
// clang-format off: a line at fault ends with its mark
auto g(stretto::mobile<counter> c, int by) { return send(c, stretto::call([by](counter& x) { x.n += by; })); }  // fails
// clang-format on
