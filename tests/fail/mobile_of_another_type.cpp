// A handler is sent to objects of its type.
// expect: this handler is one of another type than the object is of
#include <stretto/mobile.hpp>

struct counter {
  int n = 0;
  void add(int k) { n += k; }
};
struct meter {
  double x = 0;
};

auto f(stretto::mobile<counter> c) { return send(c, stretto::call<&counter::add>(1)); }
auto g(stretto::mobile<meter> m) { return send(m, stretto::call<&counter::add>(1)); }  // fails
