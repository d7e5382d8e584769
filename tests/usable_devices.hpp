// usable_devices.hpp - which values of option devices work on this machine.
#pragma once

#include <stretto/error.hpp>
#include <stretto/runtime.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

namespace stretto::test {

/// Of these, those that a runtime starts with; says which are left out of the tests of `what`, and why.
inline std::vector<std::string> usable_devices(std::initializer_list<const char*> kinds, const char* what) {
  std::vector<std::string> usable;
  for (const char* kind : kinds) {
    try {
      runtime rt({.workers = 1, .devices = kind});
      usable.push_back(kind);
    } catch (const error& e) {
      std::fprintf(stderr, "no test of %s on %s: %s\n", what, kind, e.what());
    }
  }
  return usable;
}

}  // namespace stretto::test
