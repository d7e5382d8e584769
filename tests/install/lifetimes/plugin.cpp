// A library with a global runtime of its own copy of Stretto.
#include "lifetime.hpp"

namespace {
stretto::runtime own({.workers = 2});
}

extern "C" __attribute__((visibility("default"))) int use_plugin(const char* how) { return use(own, how); }
