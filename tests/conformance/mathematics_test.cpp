// Each mathematical function of kernels, for both floating-point types: devices agree with the host within the
// tolerances of the guide.
#include <stretto/kernel.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>

#include "conformance/bench.hpp"
#include "device/arrays.hpp"

namespace stretto::device {
namespace {

#define STRETTO_TEST_FUNCTIONS_OF(T)                                           \
  STRETTO_KERNEL(functions_of_##T, (in<T> positive, in<T> any, out<T, 2> y), { \
    int i = global_id(0);                                                      \
    T a = positive(i);                                                         \
    T s = any(i);                                                              \
    y(i, 0) = sqrt(a);                                                         \
    y(i, 1) = rsqrt(a);                                                        \
    y(i, 2) = exp(s);                                                          \
    y(i, 3) = log(a);                                                          \
    y(i, 4) = sin(s);                                                          \
    y(i, 5) = cos(s);                                                          \
    y(i, 6) = tan(s);                                                          \
    y(i, 7) = atan(s);                                                         \
    y(i, 8) = tanh(s);                                                         \
    y(i, 9) = floor(s);                                                        \
    y(i, 10) = ceil(s);                                                        \
    y(i, 11) = round(s);                                                       \
    y(i, 12) = fabs(s);                                                        \
    y(i, 13) = pow(a, s);                                                      \
    y(i, 14) = atan2(s, a);                                                    \
    y(i, 15) = fmod(s, a);                                                     \
    y(i, 16) = hypot(s, a);                                                    \
    y(i, 17) = fmin(s, a);                                                     \
    y(i, 18) = fmax(s, a);                                                     \
    y(i, 19) = fma(s, a, s);                                                   \
    y(i, 20) = a / s;                                                          \
  })
STRETTO_TEST_FUNCTIONS_OF(float)
STRETTO_TEST_FUNCTIONS_OF(double)
#undef STRETTO_TEST_FUNCTIONS_OF

constexpr std::array names{"sqrt",  "rsqrt", "exp", "log",   "sin",  "cos",   "tan",  "atan", "tanh", "floor", "ceil",
                           "round", "fabs",  "pow", "atan2", "fmod", "hypot", "fmin", "fmax", "fma",  "/"};

template <class T>
void agree_with_host(bench& b, const kernel_code& code, T tolerance) {
  constexpr int n = 500;
  array<T> positive({n}), any({n}), y({n, names.size()}), host({n, names.size()});
  for (int i = 0; i < n; ++i) {
    positive.values[static_cast<std::size_t>(i)] = T(0.013) * static_cast<T>(i + 1);
    any.values[static_cast<std::size_t>(i)] = T(0.0137) * static_cast<T>(i * 37 % n) - T(3.4301);
  }
  const auto dp = b.put(positive), da = b.put(any), dy = b.put(y);
  b.launch(code, range({0}, {n}), {dp, da, dy});
  b.get(y, dy);
  on_host(code, range({0}, {n}), {positive.here(), any.here(), host.here()});
  for (std::size_t f = 0; f < names.size(); ++f) {
    T largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T here = host.values[i * names.size() + f];
      REQUIRE(std::isfinite(here));
      largest = std::max(largest, std::abs(y.values[i * names.size() + f] - here) / (1 + std::abs(here)));
      if (!std::isfinite(y.values[i * names.size() + f])) largest = std::numeric_limits<T>::infinity();
    }
    INFO(std::string(names[f]) << ": " << largest);
    // Operations that the language rounds correctly, and exact ones, agree to the bit, except that a driver may round
    // divisions and roots of floats differently.
    const std::string name = names[f];
    const bool is_exact = name == "floor" || name == "ceil" || name == "round" || name == "fabs" || name == "fmin" ||
                          name == "fmax" || name == "fma" || name == "fmod" ||
                          (sizeof(T) == 8 && (name == "sqrt" || name == "/"));
    CHECK(largest <= (is_exact ? 0 : tolerance));
  }
}

TEST_CASE("mathematics of each function agree with the host's") {
  on_each([](bench& b) {
    agree_with_host<float>(b, functions_of_float.code(), 1e-5f);
    if (b.on->about().has_double) agree_with_host<double>(b, functions_of_double.code(), 1e-13);
  });
}

}  // namespace
}  // namespace stretto::device
