// Reductions into objects: on any devices at the same time, folded when the result is needed, with the result of a
// loop.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "eventually.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

// clang-format off
STRETTO_KERNEL(contribute_counts, (in<int> x, reduce<sum<int>> count), { count(x(global_id(0)) % 16) << 1; })
STRETTO_KERNEL(contribute_sum, (reduce<sum<std::int64_t>, 2> to, int by), {
  to(global_id(0), global_id(1)) << (long)(by);
})
STRETTO_KERNEL(contribute_product, (reduce<product<std::int64_t>, 2> to), { to(global_id(0), global_id(1)) << 3; })
STRETTO_KERNEL(contribute_most, (reduce<maximum<std::int64_t>, 2> to, int by), {
  to(global_id(0), global_id(1)) << (long)(by);
})
STRETTO_KERNEL(set_wide, (out<std::int64_t, 2> to, int by), { to(global_id(0), global_id(1)) = by; })
STRETTO_KERNEL(add_wide, (in<std::int64_t, 2> from, inout<std::int64_t, 2> to), {
  int i = global_id(0), j = global_id(1);
  to(i, j) = (to(i, j) + from(j, i)) % 1000003;
})
STRETTO_KERNEL(contribute_to_scalar, (in<float> x, reduce<sum<double>> total, reduce<minimum<float>> least), {
  total(0) << (double)(x(global_id(0)));
  least(0) << x(global_id(0));
})
STRETTO_DEVICE_STRUCT(spread, { double least; double most; int values; })
STRETTO_DEVICE_FUNCTION(spread, spread_of_both, (spread a, spread b), {
  if (b.least < a.least) a.least = b.least;
  if (b.most > a.most) a.most = b.most;
  a.values += b.values;
  return a;
})
STRETTO_DEVICE_OPERATOR(spreads, spread, spread_of_both, {1e300, -1e300, 0})
STRETTO_KERNEL(contribute_spread, (in<int> x, reduce<spreads> to), {
  int v = x(global_id(0));
  spread s = {(double)(v), (double)(v), 1};
  to(v % 16) << s;
})
// clang-format on

const std::vector<std::string>& reducing_devices() {
  static const std::vector<std::string> all =
      test::usable_devices({"none", "sim", "sim:3", "opencl:1", "opencl:1,sim:2"}, "objects");
  return all;
}

TEST_CASE("contributions of many launches are all there, wherever they were computed") {
  for (const std::string& kind : reducing_devices())
    for (const char* policy : {"fifo", "earliest_finish", "work_stealing"}) {
      INFO(kind << ", " << policy);
      const with_variable scheduler("STRETTO_SCHEDULER", policy);
      runtime rt({.workers = 3, .devices = kind});
      rt.run([] {
        constexpr int n = 20'000;
        std::vector<int> x(n), expected(16);
        for (int i = 0; i < n; ++i)
          ++expected[static_cast<std::size_t>((x[static_cast<std::size_t>(i)] = i * 7 % 1009) % 16)];
        object<int> values(box(0, n), x.data()), count(box(0, 16), {.name = "count"});
        for (int first = 0; first < n; first += 500) {
          const box part(first, first + 500);
          launch(contribute_counts, part, values(part), count);
        }
        const auto seen = count.read().get();
        for (int i = 0; i < 16; ++i) CHECK(seen.view()(i) == expected[static_cast<std::size_t>(i)]);
      });
    }
}

TEST_CASE("contributions by an operator of the program's own are all there, wherever they were computed") {
  for (const std::string& kind : reducing_devices()) {
    INFO(kind);
    runtime rt({.workers = 3, .devices = kind});
    rt.run([] {
      constexpr int n = 20'000;
      std::vector<int> x(n);
      std::vector<spread> expected(16, spreads::identity());
      for (int i = 0; i < n; ++i) {
        const int v = x[static_cast<std::size_t>(i)] = i * 7 % 1009;
        spreads::fold(expected[static_cast<std::size_t>(v % 16)], {double(v), double(v), 1});
      }
      object<int> values(box(0, n), x.data());
      object<spread> found(box(0, 16));
      for (int first = 0; first < n; first += 500) {
        const box part(first, first + 500);
        launch(contribute_spread, part, values(part), found);
      }
      const auto seen = found.read().get();
      for (int i = 0; i < 16; ++i) {
        const spread& right = expected[static_cast<std::size_t>(i)];
        CHECK(seen.view()(i).least == right.least);
        CHECK(seen.view()(i).most == right.most);
        CHECK(seen.view()(i).values == right.values);
      }
    });
  }
}

TEST_CASE("several operators and types in one launch, from a beginning that the program gives or none") {
  for (const std::string& kind : reducing_devices()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      std::vector<float> x(1000);
      std::iota(x.begin(), x.end(), -20.0f);
      const double begins = 100;
      object<float> values(box(0, 1000), x.data());
      object<double> total(box(0, 1), &begins);
      object<float> least(box(0, 1));
      for (int first = 0; first < 1000; first += 100)
        launch(contribute_to_scalar, box(first, first + 100), values, total, least);
      CHECK(total.read().get().view()(0) == doctest::Approx(100 + 999 * 1000 / 2 - 20 * 1000));
      CHECK(least.read().get().view()(0) == -20);
    });
  }
}

/// Random launches that reduce by three operators, write and read tiles of a few objects, compared with a loop.
void random_launches(const std::string& devices, unsigned workers, unsigned seed, int steps) {
  constexpr int n = 12;
  constexpr std::size_t count = 4;
  runtime rt({.workers = workers, .devices = devices});
  rt.run([&] {
    std::mt19937 draw(seed);
    const auto below = [&](int k) { return static_cast<int>(draw() % static_cast<unsigned>(k)); };
    const box whole({0, 0}, {n, n});
    std::vector<std::vector<std::int64_t>> expected(count, std::vector<std::int64_t>(n * n));
    std::vector<object<std::int64_t, 2>> all;
    for (std::size_t k = 0; k < count; ++k) {
      for (auto& v : expected[k]) v = below(100);
      all.emplace_back(whole, expected[k].data());
    }
    const auto each = [&](std::size_t k, const box& b, auto&& change) {
      for (std::int64_t i = b.min()[0]; i < b.max()[0]; ++i)
        for (std::int64_t j = b.min()[1]; j < b.max()[1]; ++j)
          change(expected[k][static_cast<std::size_t>(i * n + j)], i, j);
    };
    for (int s = 0; s < steps; ++s) {
      const auto k = static_cast<std::size_t>(below(count));
      point min(below(n), below(n)), max;
      for (int a = 0; a < 2; ++a) max[a] = min[a] + 1 + below(static_cast<int>(n - min[a]));
      const box part = below(3) ? box({min[0], min[1]}, {max[0], max[1]}) : whole;
      const int by = below(1000);
      switch (below(9)) {
        case 0:
        case 1:
        case 2:
        case 3:
          launch(contribute_sum, part, all[k](part), by);
          each(k, part, [&](std::int64_t& v, auto, auto) { v += by; });
          break;
        case 4:
          launch(contribute_most, part, all[k](part), by);
          each(k, part, [&](std::int64_t& v, auto, auto) { v = std::max<std::int64_t>(v, by); });
          break;
        case 5:
          launch(contribute_product, part, all[k]);
          each(k, part,
               [&](std::int64_t& v, auto, auto) { v = static_cast<std::int64_t>(static_cast<std::uint64_t>(v) * 3); });
          break;
        case 6:
          launch(set_wide, part, all[k](part), by);
          each(k, part, [&](std::int64_t& v, auto, auto) { v = by; });
          break;
        case 7: {
          const auto from = (k + 1) % count;
          launch(add_wide, part, all[from], all[k](part));
          each(k, part, [&](std::int64_t& v, std::int64_t i, std::int64_t j) {
            v = (v + expected[from][static_cast<std::size_t>(j * n + i)]) % 1000003;
          });
          break;
        }
        default:
          if (below(2)) all[k].remove_from_devices();
          else if (const auto seen = all[k].read(part).get(); true)
            each(k, part, [&](std::int64_t v, std::int64_t i, std::int64_t j) { REQUIRE(seen.view()(i, j) == v); });
      }
    }
    std::vector<std::int64_t> seen(n * n);
    for (std::size_t k = 0; k < count; ++k) {
      wait(all[k].copy_to(seen.data()));
      CHECK(seen == expected[k]);
    }
  });
}

TEST_CASE("random contributions, writes and reads give what a loop gives, over seeds") {
  for (const std::string& kind : reducing_devices())
    for (unsigned seed = 0; seed < test::scaled(6u, 400u); ++seed) {
      INFO(kind << ", seed " << seed);
      random_launches(kind, 1 + seed % 3, seed, 80);
    }
}

TEST_CASE("contributions leave a full device, for the host and for a file") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "16k"),
      // four objects take 4.5k in all memories together, and accumulators as much again
      device("STRETTO_DEVICE_MEMORY", "8k");
  for (const std::string& kind : reducing_devices())
    for (unsigned seed = 0; seed < test::scaled(6u, 400u); ++seed) {
      INFO(kind << ", seed " << seed);
      random_launches(kind, 1 + seed % 3, seed, 80);
    }
}

TEST_CASE("devices that threads of their own ask give the same, and runtimes with them come and go") {
  const with_variable threads("STRETTO_DEVICE_THREADS", "1"), device("STRETTO_DEVICE_MEMORY", "8k");
  for (const std::string& kind : reducing_devices())
    for (unsigned seed = 0; seed < test::scaled(4u, 400u); ++seed) {
      INFO(kind << ", seed " << seed);
      random_launches(kind, 1 + seed % 3, seed, 60);
    }
  for (int n = 0; n < 20; ++n) runtime({.workers = 1, .devices = "sim:2"}).run([] {});
}

TEST_CASE("contributions by one operator run side by side on the host") {
  static std::atomic<int> inside{0};
  static std::atomic<bool> met{false};
  struct meeting {
    static void run(const kernel_code&, const kernel_work&, const kernel_argument*) {
      ++inside;
      test::eventually([] { return met.load(); },
                       [] {
                         if (inside.load() == 2) met = true;
                         std::this_thread::sleep_for(std::chrono::microseconds(100));
                       });
      --inside;
    }
  };
  kernel_code code = contribute_sum.code();
  code.run = code.run_checked = meeting::run;
  code.run_dense = code.run_wide = nullptr;
  const std::decay_t<decltype(contribute_sum)> meets(code);
  runtime rt({.workers = 2});
  rt.run([&] {
    object<std::int64_t, 2> to(box({0, 0}, {2, 2}));
    finish([&] {
      launch(meets, to.elements(), to, 1);
      launch(meets, to.elements(), to, 1);
    });
  });
  CHECK(met);
}

TEST_CASE("a failed contribution takes the content with it") {
  for (const std::string& kind : reducing_devices()) {
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      object<std::int64_t, 2> to(box({0, 0}, {4, 4}), {.name = "to"});
      finish([&] {
        launch(contribute_sum, to.elements(), to, 1);
        const user_event never = user_event::create();
        launch(after(never), contribute_sum, to.elements(), to, 2);
        never.poison(std::make_exception_ptr(std::runtime_error("no more")));
        CHECK(test::thrown_by([&] { to.read().get(); }).find("no more") != std::string::npos);
      });
      launch(set_wide, to.elements(), to, 5);
      launch(contribute_sum, to.elements(), to, 1);
      CHECK(to.read().get().view()(3, 3) == 6);
    });
  }
}

}  // namespace
}  // namespace stretto
