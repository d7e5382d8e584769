// tsan_ignore.hpp - excludes parts of the library from ThreadSanitizer if the program is built with it and the library
// is not.
//
// ThreadSanitizer then sees the library's calls of the C library (memcpy, memcmp, operator new), but not the atomics
// that order them. Never use it around code of the program, whose races would stay undetected. To announce an order
// (sanitizers.hpp) instead would hide races in the program before and after.
//
// Threads     any.
// Cost        two loads and two tests.
#pragma once

#include <type_traits>

#include "base/sanitizers.hpp"

extern "C" {
[[gnu::weak]] void __tsan_ignore_thread_begin();
[[gnu::weak]] void __tsan_ignore_thread_end();
}

namespace stretto::base {

/// While it lives, ThreadSanitizer ignores the accesses of the calling thread.
class tsan_ignore_scope {
 public:
  tsan_ignore_scope() noexcept {
    if (is_watched_alone()) [[unlikely]]
      __tsan_ignore_thread_begin();
  }
  tsan_ignore_scope(const tsan_ignore_scope&) = delete;
  ~tsan_ignore_scope() {
    if (is_watched_alone()) [[unlikely]]
      __tsan_ignore_thread_end();
  }
};

/// A process-wide object that is made at its first use and never destroyed: threads and destructors of static objects
/// use it after main has ended. It is constant, or its own lock orders all uses. The compiler's guard orders its
/// construction before them, which ThreadSanitizer does not see.
template <class T>
T& make_immortal() {
  const tsan_ignore_scope here;
  return *new T;
}
/// The same for the result of a function.
template <class Function>
const std::invoke_result_t<Function>& make_immortal(const Function& make) {
  const tsan_ignore_scope here;
  return *new const std::invoke_result_t<Function>(make());
}

}  // namespace stretto::base
