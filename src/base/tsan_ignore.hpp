// tsan_ignore.hpp - a part of the library that ThreadSanitizer would misjudge, where it watches the program alone.
//
// It sees what the library asks of the C library (memcpy, memcmp, operator new), but not the atomics that order that.
// Never around code of the program, whose races would not be found. To announce an order (sanitizers.hpp) would hide
// races of what the program does before and after.
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

/// While it lives, accesses of the calling thread are not looked at.
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

/// An object of the process that is made at its first use and never destroyed: threads, and destructors of static
/// objects, use it after main has ended. It is constant, or its own lock orders all uses. The compiler's guard orders
/// that it was made before them, which ThreadSanitizer does not see.
template <class T>
T& make_immortal() {
  const tsan_ignore_scope here;
  return *new T;
}
/// The same, of what the function returns.
template <class Function>
const std::invoke_result_t<Function>& make_immortal(const Function& make) {
  const tsan_ignore_scope here;
  return *new const std::invoke_result_t<Function>(make());
}

}  // namespace stretto::base
