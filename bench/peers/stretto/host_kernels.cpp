// host_kernels.cpp - Stretto: kernels on the host, compared with hand-written loops alternately in one process.
//
// A figure is the time of the loop by that of the launch: 1 is as fast, more is faster. The loop is compiled twice with
// the flags of this file, once for wider vectors, and the faster counts. --size is the side of the fields and the
// factors.
#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/config.hpp"
#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/products.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(five_points, (in<float, 2> u, out<float, 2> v, float c), {
  int i = global_id(0), j = global_id(1);
  v(i, j) = u(i, j) + c * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
})

STRETTO_KERNEL(damped_wave, (inout<float, 2> older, in<float, 2> u, in<float, 2> c, in<float> row, in<float> column), {
  int i = global_id(0), j = global_id(1);
  float near = (u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1));
  float far = (u(i - 2, j) + u(i + 2, j)) + (u(i, j - 2) + u(i, j + 2));
  float g = row(i) * column(j);
  older(i, j) = g * (2 * u(i, j) + c(i, j) * (4.0f / 3.0f * near - 1.0f / 12.0f * far - 5.0f * u(i, j)) - g * older(i, j));
})

STRETTO_GROUP_KERNEL(sums_of_groups, (in<float> x, out<float> sums, local<float> part), {
  int first = group_id(0) * group_size(0) * 16;
  each_item([&](item it) {
    float s = 0;
    for (int k = 0; k < 16; ++k) s += x(first + k * (int)(group_size(0)) + it.local_id(0));
    part(it.local_id(0)) = s;
  });
  for (int half = group_size(0) / 2; half > 0; half /= 2)
    each_item([&](item it) {
      if (it.local_id(0) < half) part(it.local_id(0)) += part(it.local_id(0) + half);
    });
  each_item([&](item it) { if (it.local_id(0) == 0) sums(group_id(0)) = part(0); });
})
// clang-format on

namespace {

// The hand-written loops. Pointers are of rows and columns that the kernels compute; s is from row to row.
#define BY_HAND [[gnu::always_inline]] static inline void run
struct five_points_by_hand {
  BY_HAND(const float* __restrict u, float* __restrict v, float c, int rows, int columns, std::ptrdiff_t s) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const float* at = u + i * s + j;
        v[i * s + j] = at[0] + c * (at[-s] + at[s] + at[-1] + at[1] - 4 * at[0]);
      }
  }
};
struct damped_wave_by_hand {
  BY_HAND(float* __restrict older, const float* __restrict u, const float* __restrict c, const float* __restrict row,
          const float* __restrict column, int rows, int columns, std::ptrdiff_t s) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const float* at = u + i * s + j;
        const float near = (at[-s] + at[s]) + (at[-1] + at[1]), far = (at[-2 * s] + at[2 * s]) + (at[-2] + at[2]);
        const float g = row[i] * column[j];
        float& x = older[i * s + j];
        x = g * (2 * at[0] + c[i * s + j] * (4.0f / 3.0f * near - 1.0f / 12.0f * far - 5.0f * at[0]) - g * x);
      }
  }
};
struct product_by_hand {
  BY_HAND(const float* __restrict a, const float* __restrict b, float* __restrict c, int n) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
  }
};
struct product_of_tiles_by_hand {
  BY_HAND(const float* __restrict a, const float* __restrict b, float* __restrict c, int n) {
    alignas(64) float x[16][16], y[16][16], sum[16][16];
    for (int bi = 0; bi < n; bi += 16)
      for (int bj = 0; bj < n; bj += 16) {
        for (int i = 0; i < 16; ++i)
          for (int j = 0; j < 16; ++j) sum[i][j] = 0;
        for (int k0 = 0; k0 < n; k0 += 16) {
          for (int i = 0; i < 16; ++i)
            for (int j = 0; j < 16; ++j) x[i][j] = a[(bi + i) * n + k0 + j], y[i][j] = b[(k0 + i) * n + bj + j];
          for (int i = 0; i < 16; ++i)
            for (int j = 0; j < 16; ++j) {
              float s = sum[i][j];
              for (int k = 0; k < 16; ++k) s += x[i][k] * y[k][j];
              sum[i][j] = s;
            }
        }
        for (int i = 0; i < 16; ++i)
          for (int j = 0; j < 16; ++j) c[(bi + i) * n + bj + j] = sum[i][j];
      }
  }
};
struct sums_by_hand {
  BY_HAND(const float* __restrict x, float* __restrict sums, float* __restrict part, int groups, int of) {
    for (int g = 0; g < groups; ++g) {
      for (int t = 0; t < of; ++t) {
        float s = 0;
        for (int k = 0; k < 16; ++k) s += x[(g * 16 + k) * of + t];
        part[t] = s;
      }
      for (int half = of / 2; half > 0; half /= 2)
        for (int t = 0; t < half; ++t) part[t] += part[t + half];
      sums[g] = part[0];
    }
  }
};
#undef BY_HAND

template <class Loop, class... A>
[[gnu::noinline]] void narrow(A... given) {
  Loop::run(given...);
}
template <class Loop, class... A>
STRETTO_DETAIL_WIDE [[gnu::noinline]] void wide(A... given) {
  Loop::run(given...);
}

/// Time of the faster loop by the time of the launch: medians of turns.
template <class Loop, class Launch, class... A>
double compare(Launch&& launched, A... given) {
  std::vector<double> ours, narrow_ones, wide_ones;
  const auto timed = [](std::vector<double>& into, auto&& body) {
    const bench::stopwatch clock;
    body();
    into.push_back(clock.seconds());
  };
  const bench::stopwatch all;
  const bool has_wide = stretto::base::has_wide_vectors();
  while (ours.size() < 11 || (ours.size() < 101 && all.seconds() < 0.5)) {
    timed(ours, launched);
    timed(narrow_ones, [&] { narrow<Loop>(given...); });
    if (has_wide) timed(wide_ones, [&] { wide<Loop>(given...); });
  }
  double by_hand = bench::median(narrow_ones);
  if (has_wide) by_hand = std::min(by_hand, bench::median(wide_ones));
  return by_hand / bench::median(ours);
}

constexpr int around = 2;  // elements that stencils reach beyond the range

/// An array in the host's memory for as long as the benchmark lasts.
template <std::size_t D>
class filled {
 public:
  filled(const box& elements, float scale)
      : is_(instance<float, D>::create(at(memory()), elements).made), elements_(elements) {
    wait(fill(is_, 0.0f));
    for (std::int64_t i = elements.min()[0]; i < elements.max()[0]; ++i)
      if constexpr (D == 1) is_.view()(i) = scale * float(i % 13);
      else
        for (std::int64_t j = elements.min()[1]; j < elements.max()[1]; ++j)
          is_.view()(i, j) = scale * float((i * 7 + j) % 13);
  }
  ~filled() { is_.destroy(); }
  filled(const filled&) = delete;
  filled& operator=(const filled&) = delete;

  const instance<float, D>& operator*() const { return is_; }
  float* origin() const {  // where all coordinates are 0
    if constexpr (D == 1) return &is_.view()(0);
    else return &is_.view()(0, 0);
  }
  std::ptrdiff_t row() const { return std::ptrdiff_t(is_.view().stride_bytes(0) / std::ptrdiff_t(sizeof(float))); }
  /// Throws unless both hold about the same.
  void expect_like(const filled& other) const {
    const auto mine = is_.view(), its = other.is_.view();
    const auto check = [](float got, float wanted) {
      if (!(std::abs(got - wanted) <= 1e-4f * std::max(1.0f, std::abs(wanted))))
        throw bench::wrong_answer("the kernel and the loop by hand differ");
    };
    for (std::int64_t i = elements_.min()[0]; i < elements_.max()[0]; ++i)
      if constexpr (D == 1) check(mine(i), its(i));
      else
        for (std::int64_t j = elements_.min()[1]; j < elements_.max()[1]; ++j) check(mine(i, j), its(i, j));
  }

 private:
  static place memory() {
    static const place first = platform::discover().memories().front();
    return first;
  }
  instance<float, D> is_;
  box elements_;
};

box square(const bench::options& o, int more) { return box({-more, -more}, {o.size + more, o.size + more}); }

/// Products take factors of a fourth of the side: they do as much for each element.
struct factors {
  explicit factors(const bench::options& o) : n(int(o.size / 4) / 16 * 16), of({0, 0}, {n, n}) {}
  int n;
  box of;
  filled<2> a{of, 0.125f}, b{of, 0.25f}, ours{of, 0}, by_hand{of, 0};

  template <class Loop, class Launch>
  bench::outcome time(Launch&& launched) {
    const double ratio = compare<Loop>(launched, static_cast<const float*>(a.origin()),
                                       static_cast<const float*>(b.origin()), by_hand.origin(), n);
    ours.expect_like(by_hand);
    return {ratio};
  }
};

}  // namespace

bench::outcome compare_host_stencil(const bench::options& o) {
  const filled<2> u(square(o, around), 1), kernel(square(o, around), 0), loop(square(o, around), 0);
  const int n = int(o.size);
  const double ratio =
      compare<five_points_by_hand>([&] { wait(launch(five_points, square(o, 0), *u, *kernel, 0.1f)); },
                                   static_cast<const float*>(u.origin()), loop.origin(), 0.1f, n, n, u.row());
  kernel.expect_like(loop);
  return {ratio};
}

bench::outcome compare_host_wave(const bench::options& o) {
  const filled<2> u(square(o, around), 1), c(square(o, around), 0.01f), kernel(square(o, around), 0.5f),
      loop(square(o, around), 0.5f);
  const filled<1> row(box(0, o.size), 0.05f), column(box(0, o.size), 0.07f);
  const int n = int(o.size);
  const double ratio = compare<damped_wave_by_hand>(
      [&] { wait(launch(damped_wave, square(o, 0), *kernel, *u, *c, *row, *column)); }, loop.origin(),
      static_cast<const float*>(u.origin()), static_cast<const float*>(c.origin()),
      static_cast<const float*>(row.origin()), static_cast<const float*>(column.origin()), n, n, u.row());
  kernel.expect_like(loop);
  return {ratio};
}

bench::outcome compare_host_product(const bench::options& o) {
  factors f(o);
  return f.time<product_by_hand>([&] { wait(launch(plain_product, f.of, *f.a, *f.b, *f.ours, f.n)); });
}

bench::outcome compare_host_tiles(const bench::options& o) {
  factors f(o);
  return f.time<product_of_tiles_by_hand>([&] {
    wait(launch(product_of_tiles, in_groups({{0, 0}, {f.n / 16, f.n / 16}}, {16, 16}), *f.a, *f.b, *f.ours, f.n));
  });
}

bench::outcome compare_host_sum(const bench::options& o) {
  constexpr int of = 256;
  const int groups = int(o.size * o.size / of / 4);
  const filled<1> x(box(0, groups * of * 16), 0.5f), ours(box(0, groups), 0), by_hand(box(0, groups), 0);
  std::vector<float> part(of);
  const double ratio = compare<sums_by_hand>(
      [&] { wait(launch(sums_of_groups, in_groups({0, groups}, of), *x, *ours, local_size{of})); },
      static_cast<const float*>(x.origin()), by_hand.origin(), part.data(), groups, of);
  ours.expect_like(by_hand);
  return {ratio};
}
