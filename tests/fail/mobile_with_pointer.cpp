// The arguments of a handler travel to the node of the object.
// expect: a parameter of this function cannot travel
#include <stretto/mobile.hpp>

struct counter {
  int n = 0;
  void add(int k) { n += k; }
  void add_all(const int* first) { n += first[0]; }
};

auto f(stretto::mobile<counter> c) { return send(c, stretto::call<&counter::add>(1)); }
auto g(stretto::mobile<counter> c) { return send(c, stretto::call<&counter::add_all>(nullptr)); }  // fails
