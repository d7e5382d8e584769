// config.hpp - the only place that inspects the compiler and the processor.
//
// Everything here is a value or a one-line function; elsewhere the choice is `if constexpr (base::x86_64)`, whose
// branches are both compiled, so that neither rots. LAYERS names the few other files that may use #if.
#pragma once

#include <cstdint>
#include <string_view>

namespace stretto::base {

// g++ defines macros; clang has __has_feature, which g++ 12 cannot parse.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#if __has_feature(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#else
#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#endif

#if defined(__x86_64__)
inline constexpr bool x86_64 = true;
#else
inline constexpr bool x86_64 = false;
#endif

#if defined(__clang__)
inline constexpr std::string_view compiler = __VERSION__;
#else
inline constexpr std::string_view compiler = "g++ " __VERSION__;
#endif

/// A hint to the core that this is a spin loop.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The thread-local pointer of base/context.cpp, by a call.
void* read_thread_slot() noexcept;
/// The same without a call. Read anew every time: a compiler that knew it as a thread-local might keep its address
/// across a stack switch, after which the code may run on another thread.
inline void* thread_slot() noexcept {
#if defined(__x86_64__)
  void* slot;
  asm volatile("movq stretto_thread_slot@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=r"(slot) : : "memory");
  return slot;
#else
  return read_thread_slot();
#endif
}

/// Whether this processor has 32-byte vectors (AVX2).
inline bool has_wide_vectors() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

/// While it lives, this thread's arithmetic treats denormal numbers as zero, in operands and results.
class denormals_are_zero {
 public:
#if defined(__x86_64__)
  denormals_are_zero() noexcept : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(before_ | 0x8040); }
  ~denormals_are_zero() { __builtin_ia32_ldmxcsr(before_); }
#elif defined(__aarch64__)
  denormals_are_zero() noexcept {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | 1ul << 24));
  }
  ~denormals_are_zero() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
#else
  denormals_are_zero() noexcept = default;
#endif
  denormals_are_zero(const denormals_are_zero&) = delete;
  denormals_are_zero& operator=(const denormals_are_zero&) = delete;

 private:
#if defined(__x86_64__)
  unsigned before_;
#else
  [[maybe_unused]] unsigned long before_ = 0;
#endif
};

/// A thread's floating-point control registers, without their status flags.
struct floating_words {
  std::uint32_t vectors = 0;  // MXCSR, or FPCR
  std::uint16_t x87 = 0;
  friend bool operator==(const floating_words&, const floating_words&) noexcept = default;
};
inline std::uint32_t read_vector_control() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & 0xffc0;
#elif defined(__aarch64__)
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return static_cast<std::uint32_t>(fpcr);
#else
  return 0;
#endif
}
inline floating_words read_floating_words() noexcept {
  floating_words words;
  words.vectors = read_vector_control();
#if defined(__x86_64__)
  asm volatile("fnstcw %0" : "=m"(words.x87));
#endif
  return words;
}
inline void write_floating_words(const floating_words& words) noexcept {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & 0x3f) | words.vectors);
  asm volatile("fldcw %0" : : "m"(words.x87));
#elif defined(__aarch64__)
  const std::uint64_t fpcr = words.vectors;
  asm volatile("msr fpcr, %0" : : "r"(fpcr));
#else
  (void)words;
#endif
}

inline constexpr unsigned cache_line = 64;

/// "0.1.0": the version of the library that is linked, which may differ from the headers that were compiled.
std::string_view version();

/// "g++ 12.2.0, x86_64, address sanitizer": what built the library, for reports.
std::string_view built_with();

}  // namespace stretto::base
