// devices.cpp - Stretto: the benchmarks of peers/opencl and peers/cuda by objects and launches, on the first CUDA
// device or, where there is none, the first of OpenCL. BENCH_DEVICE=opencl or =cuda: on one of that kind, or not at
// all.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/runtime.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peers/stretto/benchmarks.hpp"

using namespace stretto;

// clang-format off
STRETTO_KERNEL(do_nothing, (inout<int> x), { })
STRETTO_KERNEL(product_in_a_series, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  int i = global_id(0), j = global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
  c(i, j) = sum;
})

// Tiles of 64 x 64 by groups of 16 x 16 items, 16 terms at a time; sides are multiples of 64.
STRETTO_DEVICE_STRUCT(sixteen_sums, { float of[4][4]; })
STRETTO_GROUP_KERNEL(tiled_product_in_a_series, (in<float, 2> a, in<float, 2> b, out<float, 2> c, int n), {
  auto left = local_array<float, 64, 17>();
  auto right = local_array<float, 16, 64>();
  auto sums = per_item<sixteen_sums>();
  each_item([&](item it) {
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q) sums(it).of[p][q] = 0.0f;
  });
  for (int k0 = 0; k0 < n; k0 += 16) {
    each_item([&](item it) {
      for (int m = it.local_id(0) * 16 + it.local_id(1); m < 64 * 16; m += 256) {
        left(m / 16, m % 16) = a(group_id(0) * 64 + m / 16, k0 + m % 16);
        right(m / 64, m % 64) = b(k0 + m / 64, group_id(1) * 64 + m % 64);
      }
    });
    each_item([&](item it) {
      int y = it.local_id(0), x = it.local_id(1);
      sixteen_sums s = sums(it);
      for (int k = 0; k < 16; ++k)
        for (int p = 0; p < 4; ++p)
          for (int q = 0; q < 4; ++q) s.of[p][q] += left(y + 16 * p, k) * right(k, x + 16 * q);
      sums(it) = s;
    });
  }
  each_item([&](item it) {
    for (int p = 0; p < 4; ++p)
      for (int q = 0; q < 4; ++q)
        c(group_id(0) * 64 + it.local_id(0) + 16 * p, group_id(1) * 64 + it.local_id(1) + 16 * q) = sums(it).of[p][q];
  });
})
// clang-format on

namespace {

const auto on_a_device = on(device_kind::device);

}  // namespace

void with_device(int workers, const std::vector<std::pair<const char*, const char*>>& options,
                 const std::function<void(runtime&)>& body) {
  setenv("STRETTO_DEVICE_MEMORY", "512M", 0);
  setenv("STRETTO_SPEEDS", "none", 0);
  for (const auto& [name, value] : options) setenv(name, value, 1);
  const char* const asked = std::getenv("BENCH_DEVICE");
  std::optional<runtime> rt;
  for (const std::string kind : {"cuda", "opencl"}) {
    if (rt || (asked && kind != asked)) continue;
    try {
      rt.emplace(runtime_options{.workers = static_cast<std::uint32_t>(workers), .devices = kind + ":1"});
    } catch (const error& e) {
      if (e.code() != "K27" && e.code() != "K26") throw;  // K26: a build without that kind
    }
  }
  if (!rt) throw bench::unsupported("no device (apt install pocl-opencl-icd)");
  rt->run([&] { body(*rt); });
}

namespace {

/// How the program gets a result: a view, or a copy in memory of its own.
enum class result_as { view, copy };

enum class kernel_of_series { simple, tiled };

struct one_product {
  box all;
  result_as how;
  kernel_of_series by;
  object<float, 2> a{all}, b{all}, c{all};
  future<object_accessor<const float, 2>> result{};
  std::vector<float> own{};
  event copied{};
  bool is_under_way = false;

  one_product(long n, result_as as, kernel_of_series by)
      : all({0, 0}, {n, n}), how(as), by(by), own(as == result_as::copy ? std::size_t(n * n) : 0) {
    for (object<float, 2>* x : {&a, &b}) {
      const auto view = x->overwrite().get();
      for (long i = 0; i < n; ++i)
        for (long j = 0; j < n; ++j) view.view()(i, j) = 0.5f;
    }
  }
  void begin() {
    a.change().get(), b.change().get();  // as if the program had put new numbers in
    const auto n = int(all.max()[0]);
    if (by == kernel_of_series::simple) launch(on_a_device, product_in_a_series, all, a, b, c, n);
    else launch(on_a_device, tiled_product_in_a_series, in_groups(box({0, 0}, {n / 64, n / 64}), {16, 16}), a, b, c, n);
    if (how == result_as::view) result = c.read();
    else copied = c.copy_to(own.data());
    is_under_way = true;
  }
  void end() {
    const auto n = all.max()[0];
    if (how == result_as::copy) wait(copied);
    const float last = how == result_as::view ? result.get().view()(n - 1, n - 1) : std::exchange(own.back(), 0.0f);
    bench::expect("element of a product", long(last * 4), long(n));
    result = {};
    is_under_way = false;
  }
};

bench::outcome series(const bench::options& o, const std::vector<std::pair<const char*, const char*>>& options,
                      int under_way, result_as how = result_as::view, kernel_of_series by = kernel_of_series::simple) {
  double us = 0;
  with_device(o.workers, options, [&](runtime&) {
    std::vector<one_product> all;
    for (int i = 0; i < under_way; ++i) all.emplace_back(o.size, how, by);
    all[0].begin(), all[0].end();
    const long count = bench::products_of_a_series(o.size);
    const bench::stopwatch clock;
    for (long i = 0; i < count; ++i) {
      one_product& x = all[std::size_t(i) % all.size()];
      if (x.is_under_way) x.end();
      x.begin();
    }
    for (one_product& x : all)
      if (x.is_under_way) x.end();
    us = clock.seconds() * 1e6 / double(count);
  });
  return {us};
}

}  // namespace

// Each switches one more on than the one before.
bench::outcome time_series_plain(const bench::options& o) {
  return series(o,
                {{"STRETTO_DEVICE_STREAMS", "1"},
                 {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"},
                 {"STRETTO_TEST_DEVICE_POOL", "0"},
                 {"STRETTO_PREFETCH", "1"},
                 {"STRETTO_TEST_RECYCLE", "0"},
                 {"STRETTO_LOCKED_MEMORY", "0"}},
                1);
}
bench::outcome time_series_records(const bench::options& o) {
  return series(o,
                {{"STRETTO_DEVICE_STREAMS", "1"},
                 {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"},
                 {"STRETTO_TEST_DEVICE_POOL", "0"},
                 {"STRETTO_PREFETCH", "1"},
                 {"STRETTO_LOCKED_MEMORY", "0"}},
                1);
}
bench::outcome time_series_pool(const bench::options& o) {
  return series(o,
                {{"STRETTO_DEVICE_STREAMS", "1"},
                 {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"},
                 {"STRETTO_PREFETCH", "1"},
                 {"STRETTO_LOCKED_MEMORY", "0"}},
                1);
}
bench::outcome time_series_locked(const bench::options& o) {
  return series(
      o, {{"STRETTO_DEVICE_STREAMS", "1"}, {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"}, {"STRETTO_PREFETCH", "1"}}, 1);
}
bench::outcome time_series_overlap(const bench::options& o) {
  return series(o,
                {{"STRETTO_DEVICE_STREAMS", "1"}, {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"}, {"STRETTO_PREFETCH", "1"}},
                bench::products_under_way);
}
bench::outcome time_series_copies(const bench::options& o) {
  return series(o, {{"STRETTO_DEVICE_STREAMS", "1"}, {"STRETTO_PREFETCH", "1"}}, bench::products_under_way);
}
bench::outcome time_series_streams(const bench::options& o) {
  return series(o, {{"STRETTO_PREFETCH", "1"}}, bench::products_under_way);
}
bench::outcome time_series_threads(const bench::options& o) {
  return series(o, {{"STRETTO_DEVICE_THREADS", "1"}}, bench::products_under_way);
}
bench::outcome time_series_into(const bench::options& o) {
  return series(o, {}, bench::products_under_way, result_as::copy);
}
bench::outcome time_series_on_device(const bench::options& o) { return series(o, {}, bench::products_under_way); }
bench::outcome time_series_tiled(const bench::options& o) {
  return series(o, {}, bench::products_under_way, result_as::view, kernel_of_series::tiled);
}

namespace {

/// A product whose rows are divided between all that may compute them.
class product_of_rows {
 public:
  explicit product_of_rows(long n) : n_(n), halves_(std::size_t(n * n), 0.5f) {}
  /// Seconds.
  template <class... Tag>
  double once(const Tag&... tag) {
    const bench::stopwatch clock;
    wait(launch(tag..., product_in_a_series, all_, a_(slice(1)), b_, c_(one_to_one), int(n_)));
    return clock.seconds();
  }
  void expect() {
    const auto last = c_.read(box({n_ - 1, n_ - 1}, {n_, n_})).get();
    bench::expect("element of a product", long(last.view()(n_ - 1, n_ - 1) * 4), n_);
  }

 private:
  const long n_;
  const std::vector<float> halves_;
  const box all_{box({0, 0}, {n_, n_})};
  object<float, 2> a_{all_, halves_.data()}, b_{all_, halves_.data()}, c_{all_};
};

}  // namespace

/// A worker and a device of one core each, so that both are there when they compute together. The least of several
/// alternating rounds: other load on the machine slows down one of the three at a time.
bench::outcome compare_together(const bench::options& o) {
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  double host = 1e9, device = 1e9, together = 1e9;
  with_device(1, {}, [&](runtime&) {
    product_of_rows by_host(o.size), by_device(o.size), by_both(o.size);
    constexpr int until_speeds_are_known = 8, rounds = 24;
    for (int i = 0; i < rounds; ++i) {
      const double h = by_host.once(on(device_kind::host)), d = by_device.once(on_a_device), t = by_both.once();
      if (i < until_speeds_are_known) continue;
      host = std::min(host, h), device = std::min(device, d), together = std::min(together, t);
    }
    by_host.expect(), by_device.expect(), by_both.expect();
  });
  return {std::min(host, device) / together,
          {{"host_seconds", host}, {"device_seconds", device}, {"seconds", together}}};
}

namespace {
bench::outcome chain_on_device(const bench::options& o,
                               const std::vector<std::pair<const char*, const char*>>& options) {
  double us = 0;
  with_device(o.workers, options, [&](runtime&) {
    const int zero = 0;
    object<int> x(box(0, 1), &zero);
    const auto run = [&](long count) {
      finish([&] {
        for (long i = 0; i < count; ++i) launch(on_a_device, do_nothing, box(0, 1), x);
      });
    };
    run(10);
    const bench::stopwatch clock;
    run(o.size);
    us = clock.seconds() * 1e6 / double(o.size);
  });
  return {us};
}
}  // namespace

bench::outcome time_chain_on_device(const bench::options& o) { return chain_on_device(o, {}); }
bench::outcome time_chain_with_threads(const bench::options& o) {
  return chain_on_device(o, {{"STRETTO_DEVICE_THREADS", "1"}});
}

bench::outcome time_chain_on_instance(const bench::options& o) {
  double us = 0;
  with_device(o.workers, {}, [&](runtime& rt) {
    auto x = instance<int>::create(at(rt.machine().places(place_kind::gpu_memory).front()), box(0, 1)).made;
    wait(fill(x, 0));
    const auto run = [&](long count) {
      event last;
      for (long i = 0; i < count; ++i) last = launch(after(last), do_nothing, box(0, 1), x);
      wait(last);
    };
    run(10);
    const bench::stopwatch clock;
    run(o.size);
    us = clock.seconds() * 1e6 / double(o.size);
    x.destroy();
  });
  return {us};
}

/// A step of eight kernels, recorded and replayed.
bench::outcome time_recorded_chain(const bench::options& o) {
  constexpr long in_a_step = 8;
  double us = 0;
  with_device(o.workers, {}, [&](runtime& rt) {
    auto x = instance<int>::create(at(rt.machine().places(place_kind::gpu_memory).front()), box(0, 1)).made;
    wait(fill(x, 0));
    recorded_graph<> step;
    recorded_operation behind = launch(step, do_nothing, box(0, 1), x);
    for (long i = 1; i < in_a_step; ++i) behind = launch(step, after(behind), do_nothing, box(0, 1), x);
    const long steps = std::max(o.size / in_a_step, 1l);
    const auto run = [&](long count) {
      event last;
      for (long i = 0; i < count; ++i) last = step.replay(after(last));
      wait(last);
    };
    run(2);
    const bench::stopwatch clock;
    run(steps);
    us = clock.seconds() * 1e6 / double(steps * in_a_step);
    x.destroy();
  });
  return {us};
}

bench::outcome time_copies_to_device(const bench::options& o) {
  double gb_per_s = 0;
  with_device(o.workers, {}, [&](runtime& rt) {
    const box all(0, o.size << 10);
    auto here = instance<char>::create(at(rt.machine().memories().front()), all).made;
    auto there = instance<char>::create(at(rt.machine().places(place_kind::gpu_memory).front()), all).made;
    wait(fill(here, char(1)));
    const auto once = [&] { wait(copy(here, there)), wait(copy(there, here)); };
    once();
    const long count = bench::copies_of(o.size);
    const bench::stopwatch clock;
    for (long i = 0; i < count; ++i) once();
    gb_per_s = 2 * double(o.size << 10) * double(count) / clock.seconds() / 1e9;
    bench::expect("byte that came back", here.view()((o.size << 10) - 1), 1);
    here.destroy(), there.destroy();
  });
  return {gb_per_s};
}
