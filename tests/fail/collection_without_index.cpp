// Elements are told their index.
// expect: an element of this collection cannot be made of its index
#include <stretto/collection.hpp>

#include <string>

struct indexed {
  indexed() = default;
  indexed(std::size_t, const std::string&) {}
};
struct plain {
  plain() = default;
  explicit plain(const std::string&) {}
};

auto f() { return stretto::make_collection<indexed>(8, "cells"); }
auto g() { return stretto::make_collection<plain>(8, "cells"); }  // fails
