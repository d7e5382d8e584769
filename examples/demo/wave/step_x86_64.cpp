// step_x86_64.cpp - the stencil for x86-64, with and without AVX2, chosen at run time.
//
// Why         around a wave lies a belt of numbers below 1e-38. Arithmetic on them costs many processors over a
//             hundred cycles an operation, so they count as zero here; the caller's rounding mode and flags are
//             put back.
// Source      measured on Zen 4 in second-level cache: SSE2 2.0, AVX2 3.7, AVX-512 3.4 thousand million cells a
//             second; from memory all three are equal. Hence no AVX-512 variant.
#include <xmmintrin.h>

#include "demo/wave/step_rows.hpp"

namespace stretto::wave {
namespace {

class denormals_are_zero {
 public:
  denormals_are_zero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_results | read_as_zero); }
  ~denormals_are_zero() { _mm_setcsr(before_); }
  denormals_are_zero(const denormals_are_zero&) = delete;
  denormals_are_zero& operator=(const denormals_are_zero&) = delete;

 private:
  static constexpr unsigned flush_results = 0x8000, read_as_zero = 0x0040;
  unsigned before_;
};

[[gnu::noinline]] void step_sse2(field_view<float> older, field_view<const float> current,
                                 field_view<const float> coefficient, const damping& border) {
  step_rows(older, current, coefficient, border);
}

[[gnu::noinline, gnu::target("avx2")]] void step_avx2(field_view<float> older, field_view<const float> current,
                                                      field_view<const float> coefficient, const damping& border) {
  step_rows(older, current, coefficient, border);
}

}  // namespace

std::vector<step_variant> runnable_steps() {
  __builtin_cpu_init();
  std::vector<step_variant> variants{{"sse2", step_sse2}};
  if (__builtin_cpu_supports("avx2")) variants.push_back({"avx2", step_avx2});
  return variants;
}

void step_tile(field_view<float> older, field_view<const float> current, field_view<const float> coefficient,
               const damping& border) {
  static const auto widest = runnable_steps().back().step;
  const denormals_are_zero while_stepping;
  widest(older, current, coefficient, border);
}

}  // namespace stretto::wave
