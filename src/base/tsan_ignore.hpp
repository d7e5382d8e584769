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

}  // namespace stretto::base
