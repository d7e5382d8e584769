// A type with parts that own memory has to say what these are.
// expect: this part cannot travel
#include <stretto/fields.hpp>

#include <string>

struct told {
  std::string text;
  template <class Archive>
  friend void fields(Archive& a, stretto::archived<told, Archive>& t) {
    a(t.text);
  }
};
struct untold {
  std::string text;
};

auto f() { return stretto::to_bytes(told{"x"}); }
auto g() { return stretto::to_bytes(untold{"x"}); }  // fails
