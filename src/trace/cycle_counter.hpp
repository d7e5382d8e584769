// cycle_counter.hpp - the processor's own clock: the only file of this floor that knows the architecture.
//
// Threads     pure reads.
// Cost        read: about 8 ns on x86-64 (rdtsc), not serialising: a span may lose or gain a few instructions.
// Source      Intel SDM vol. 3, 18.17 "Time-Stamp Counter" (invariant TSC: CPUID 80000007H, EDX bit 8);
//             Arm ARM D13.8 (CNTVCT_EL0 ticks at one constant rate and is the same on all cores).
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stretto::trace::cycle_counter {

#if defined(__x86_64__)

/// Whether the counter ticks at one rate in every power state, on every core of this machine.
inline bool is_invariant() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}
inline std::uint64_t read() noexcept { return __builtin_ia32_rdtsc(); }

#elif defined(__aarch64__)

inline bool is_invariant() noexcept { return true; }
inline std::uint64_t read() noexcept {
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}

#else

inline bool is_invariant() noexcept { return false; }
inline std::uint64_t read() noexcept { return 0; }

#endif

}  // namespace stretto::trace::cycle_counter
