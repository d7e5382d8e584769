// sanitizers.hpp - announces stack switches and orderings to AddressSanitizer and ThreadSanitizer.
//
// A program may be sanitized although the library is not. The functions are therefore weak, and null unless the program
// has them.
//
// Threads     any.
// Cost        a load and a predicted branch each in a program without sanitizers.
#pragma once

#include <cstddef>

#include "base/config.hpp"

extern "C" {
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack_save, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack_save, const void** bottom_old,
                                                   std::size_t* size_old);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
}

namespace stretto::base {

/// The memory has a new use: AddressSanitizer must forget its marks of the last one, such as frames of a stack.
inline void unpoison(const volatile void* address, std::size_t bytes) noexcept {
  if (__asan_unpoison_memory_region) [[unlikely]]
    __asan_unpoison_memory_region(address, bytes);
}

/// Whether the program is built with ThreadSanitizer and the library is not. ThreadSanitizer then sees none of the
/// library's atomics, so the library must announce what orders the program's accesses.
inline bool is_watched_alone() noexcept { return !thread_sanitizer && __tsan_acquire; }

/// All that the calling thread has done so far happens before what others do after announce_acquire of this address.
[[gnu::always_inline]] inline void announce_release(const volatile void* at) noexcept {
  if (is_watched_alone()) [[unlikely]]
    __tsan_release(const_cast<void*>(at));
}
[[gnu::always_inline]] inline void announce_acquire(const volatile void* at) noexcept {
  if (is_watched_alone()) [[unlikely]]
    __tsan_acquire(const_cast<void*>(at));
}

/// Announces switches between stacks.
struct stack_switch {
  /// ThreadSanitizer's state of a new stack; null without it.
  static void* make_fiber() noexcept { return __tsan_create_fiber ? __tsan_create_fiber(0) : nullptr; }
  static void destroy_fiber(void* fiber) noexcept {
    if (fiber) __tsan_destroy_fiber(fiber);
  }
  static void* this_fiber() noexcept { return __tsan_get_current_fiber ? __tsan_get_current_fiber() : nullptr; }
  /// Before switching; `fake_stack_save` is null if the stack that is left will not be continued.
  static void leaving(void** fake_stack_save, void* to_fiber, const void* to_bottom, std::size_t to_bytes) noexcept {
    if (__tsan_switch_to_fiber) [[unlikely]]
      __tsan_switch_to_fiber(to_fiber, 0);
    if (__sanitizer_start_switch_fiber) [[unlikely]]
      __sanitizer_start_switch_fiber(fake_stack_save, to_bottom, to_bytes);
  }
  /// First thing after arriving; `fake_stack` is what leaving() saved for this stack, null on a fresh one.
  static void arrived(void* fake_stack) noexcept {
    if (__sanitizer_finish_switch_fiber) [[unlikely]]
      __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  }
};

}  // namespace stretto::base
