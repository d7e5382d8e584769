// interleaved_names.hpp - names for a source that a test compiles again, with atomics that report each access.
//
// The test includes the source in namespace stretto::interleaved: `#define ranks interleaved`, the source, `#undef`. It
// may add to stretto::interleaved::base what the source needs besides.
//
// Threads     see interleaving.hpp.
#pragma once

#include "base/config.hpp"
#include "sched/interleaving.hpp"

namespace stretto::interleaved {
namespace std {
using namespace ::std;
template <class Value>
using atomic = test::watched<Value>;
}  // namespace std
namespace base {
using stretto::base::cache_line;
}  // namespace base
}  // namespace stretto::interleaved
