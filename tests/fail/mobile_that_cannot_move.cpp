// An object whose parts nobody has named cannot move.
// expect: this type cannot move
#include <stretto/mobile.hpp>

struct sound {
  int n = 0;
};
struct unsound {
  std::string text;
  sound* part = nullptr;
};

auto f() { return stretto::make_mobile<sound>(); }
auto g() { return stretto::make_mobile<unsound>(); }  // fails
