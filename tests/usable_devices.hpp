// usable_devices.hpp - which values of option devices work on this machine.
#pragma once

#include <stretto/error.hpp>
#include <stretto/runtime.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::test {

/// Where devices of OpenCL are named, the same with those of CUDA beside it.
inline std::vector<std::string> with_cuda(std::initializer_list<const char*> kinds) {
  const std::string_view opencl = "opencl";
  std::vector<std::string> all(kinds.begin(), kinds.end());
  for (const char* kind : kinds) {
    std::string other = kind;
    if (const auto at = other.find(opencl); at != other.npos) all.push_back(other.replace(at, opencl.size(), "cuda"));
  }
  return all;
}

/// Of these, and of those of CUDA beside them, the ones that a runtime starts with; says which are left out of the
/// tests of `what`, and why.
inline std::vector<std::string> usable_devices(std::initializer_list<const char*> kinds, const char* what) {
  std::vector<std::string> usable;
  for (const std::string& kind : with_cuda(kinds)) {
    try {
      runtime rt({.workers = 1, .devices = kind});
      usable.push_back(kind);
    } catch (const error& e) {
      std::fprintf(stderr, "no test of %s on %s: %s\n", what, kind.c_str(), e.what());
    }
  }
  return usable;
}

}  // namespace stretto::test
