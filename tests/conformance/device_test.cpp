// The requirements on every device, independent of its backend.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>
#include <stretto/reduction_operator.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "conformance/bench.hpp"
#include "device/arrays.hpp"
#include "device/kernels_for_tests.hpp"

namespace stretto::device {
namespace {

TEST_CASE("data that was copied to a device can be copied back") {
  on_each([](bench& b) {
    array<int> x({1000}), y({1000});
    std::iota(x.values.begin(), x.values.end(), 5);
    b.get(y, b.put(x));
    CHECK(x.values == y.values);
  });
}

TEST_CASE("a thread waits for copies of a stream without polling") {
  on_each([](bench& b) {
    array<int> x({1000}), y({1000});
    std::iota(x.values.begin(), x.values.end(), 7);
    std::byte* const at = b.take(x.bytes());
    b.s->finish();  // nothing is enqueued
    b.s->copy({{}, reinterpret_cast<std::byte*>(x.values.data())}, {{}, at}, {x.bytes()}, nullptr);
    b.s->finish();
    counting_completion e;
    b.s->copy({{}, at}, {{}, reinterpret_cast<std::byte*>(y.values.data())}, {x.bytes()}, &e);
    b.s->finish();
    CHECK(x.values == y.values);
    b.wait(e);
  });
}

TEST_CASE("while a completion runs, other threads make streams and enqueue") {
  struct asks : places::completion {
    explicit asks(bench& b) : completion(run_it), on(b) {}
    static void run_it(places::work_item& self) noexcept {
      auto& a = static_cast<asks&>(self);
      std::thread([&] {
        a.made = a.on.on->make_stream();
        (void)a.made->record_marker();
        (void)a.on.s->record_marker();
      }).join();
      a.times = 1;
    }
    bench& on;
    std::unique_ptr<stream> made;
    int times = 0;
  };
  on_each([](bench& b) {
    array<int> x({10});
    asks a(b);
    b.s->copy({{}, reinterpret_cast<std::byte*>(x.values.data())}, {{}, b.take(x.bytes())}, {x.bytes()}, &a);
    while (!a.times)
      if (!b.on->poll()) std::this_thread::yield();
  });
}

TEST_CASE("rows at distances are copied, and nothing between them") {
  on_each([](bench& b) {
    // 3 planes of 4 rows of 5 bytes, from rows 8 and planes 50 apart into rows 16 and planes 64 apart, and back.
    std::vector<std::byte> from(150), back(150, std::byte{0xee});
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i);
    std::byte* const at = b.take(512);
    counting_completion e;
    b.s->copy({{}, from.data(), 8, 50}, {{}, at, 16, 64}, {5, 4, 3}, nullptr);
    b.s->copy({{}, at, 16, 64}, {{}, at + 256, 5, 20}, {5, 4, 3}, nullptr);  // within the device, to dense
    b.s->copy({{}, at + 256, 5, 20}, {{}, back.data(), 8, 50}, {5, 4, 3}, &e);
    b.wait(e);
    for (std::size_t i = 0; i < back.size(); ++i) {
      const bool inside = i % 50 / 8 < 4 && i % 50 % 8 < 5;
      CHECK(back[i] == (inside ? from[i] : std::byte{0xee}));
    }
  });
}

TEST_CASE("items that share a loop make each of its steps once, however many they are") {
  on_each([](bench& b) {
    for (const launch_range& r :
         {range({0}, {1}), range({5}, {12}), range({0, 3}, {4, 8}), range({0, 0, 0}, {2, 3, 5}), range({0}, {300})})
      for (const int last : {100, 97, 3, -1}) {
        array<int> x({100}, 7);
        launch_argument there = b.put(x);
        int first = 1, end = last;
        counting_completion e;
        b.launch(shared_by_all.code(), r, {there, b.value(first), b.value(end)}, &e);
        b.wait(e);
        CHECK_FALSE(e.failure);
        b.get(x, there);
        for (int i = 0; i < 100; ++i) CHECK(x.values[static_cast<std::size_t>(i)] == (i >= 1 && i < last ? 7 + i : 7));
        b.give_all_back();
      }
  });
}

TEST_CASE("a fill repeats its pattern over rows") {
  on_each([](bench& b) {
    array<std::uint32_t> x({8, 8}, 1);
    const launch_argument a = b.put(x);
    const std::uint32_t pattern = 0xdeadbeef;
    b.s->fill({{}, a.first + 4 * 9, 32}, {12, 3, 1}, std::as_bytes(std::span(&pattern, 1)), nullptr);
    b.get(x, a);
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t j = 0; j < 8; ++j) {
        const bool inside = i >= 1 && i < 4 && j >= 1 && j < 4;
        CHECK(x.values[i * 8 + j] == (inside ? pattern : 1));
      }
  });
}

TEST_CASE("a fill repeats any pattern, and begins anew in each row") {
  on_each([](bench& b) {
    for (const std::size_t unit : {1, 2, 4, 8, 16})
      for (const std::size_t row_bytes : {unit, 3 * unit, 5 * unit})
        for (const std::size_t stride : {row_bytes, row_bytes + unit, row_bytes + 16}) {
          array<std::uint8_t> x({3 * 2 * 128}, 0xee);
          const launch_argument a = b.put(x);
          std::vector<std::byte> pattern(unit);
          for (std::size_t i = 0; i < unit; ++i) pattern[i] = static_cast<std::byte>(i + 1);
          b.s->fill({{}, a.first + 16, stride, 384}, {row_bytes, 3, 2}, pattern, nullptr);
          b.get(x, a);
          bool right = true;
          for (std::size_t i = 0; i < x.values.size(); ++i) {
            const std::size_t plane = (i - 16) / 384, in_plane = (i - 16) % 384;
            const bool inside = i >= 16 && plane < 2 && in_plane / stride < 3 && in_plane % stride < row_bytes;
            right = right && x.values[i] == (inside ? in_plane % stride % unit + 1 : 0xee);
          }
          CHECK_MESSAGE(right, unit, " in rows of ", row_bytes, " every ", stride);
          b.give_all_back();
        }
  });
}

TEST_CASE("copies, fills and launches of nothing end in their turn and touch nothing") {
  on_each([](bench& b) {
    array<int> x({16}, 3);
    const launch_argument d = b.put(x);
    std::byte* const host = reinterpret_cast<std::byte*>(x.values.data());
    const auto pattern = std::as_bytes(std::span("\1", 1));
    std::vector<counting_completion> all(11);
    std::size_t n = 0;
    b.launch(add_one.code(), range({0}, {16}), {d});
    for (const places::copy_shape nothing : {places::copy_shape{0, 1, 1}, {4, 0, 1}, {4, 1, 0}}) {
      b.s->copy({{}, host, 4, 16}, {{}, d.first, 4, 16}, nothing, &all[n++]);
      b.s->copy({{}, d.first, 4, 16}, {{}, host, 4, 16}, nothing, &all[n++]);
      b.s->fill({{}, d.first, 4, 16}, nothing, pattern, &all[n++]);
      b.s->copy({{}, d.first, 4, 16}, {{}, d.first + 32, 8, 16}, nothing, nullptr);
    }
    b.s->notify(all[n++]);
    b.launch(add_one.code(), range({5}, {5}), {d}, &all[n++]);
    for (counting_completion& e : all) {
      b.wait(e);
      CHECK_FALSE(e.failure);
    }
    b.get(x, d);
    CHECK(x.values == std::vector<int>(16, 4));
  });
}

TEST_CASE("a kernel with a function, arrays of two axes and a value gives what the host gives") {
  on_each([](bench& b) {
    array<float> u({37, 53}), v({37, 53}, -1);
    for (std::size_t i = 0; i < u.values.size(); ++i) u.values[i] = static_cast<float>(i * i % 101);
    float c = 0.125f;
    const auto du = b.put(u), dv = b.put(v);
    const launch_range r = range({1, 1}, {36, 52});
    b.launch(jacobi.code(), r, {du, dv, bench::value(c)});
    array<float> got({37, 53});
    b.get(got, dv);
    on_host(jacobi.code(), r, {u.here(), v.here(), stretto::device::value(c)});
    CHECK(got.values == v.values);  // sums of small integers: exact on every device
  });
}

TEST_CASE("ids of three axes count from the beginning of the range, and nothing beside it is touched") {
  on_each([](bench& b) {
    array<int> x({3, 4, 70}, -1, {1, -2, 0});
    const auto d = b.put(x);
    const launch_range r = range({1, -1, 3}, {3, 2, 69});
    b.launch(numbered.code(), r, {d});
    array<int> got({3, 4, 70});
    b.get(got, d);
    on_host(numbered.code(), r, {x.here()});
    CHECK(got.values == x.values);
  });
}

TEST_CASE("an empty range does nothing and ends") {
  on_each([](bench& b) {
    array<int> x({4}, 3);
    const auto d = b.put(x);
    counting_completion e;
    b.launch(add_one.code(), range({2}, {2}), {d}, &e);
    b.wait(e);
    CHECK_FALSE(e.failure);
    b.get(x, d);
    CHECK(x.values == std::vector<int>(4, 3));
  });
}

TEST_CASE("rows that are not dense are computed") {
  on_each([](bench& b) {
    array<int> x({6}, 0);
    launch_argument d = b.put(x);
    d.is.stride[0] = 2;
    d.is.max[0] = 3;
    b.launch(add_one.code(), range({0}, {3}), {d});
    b.get(x, d);
    CHECK(x.values == std::vector<int>{1, 0, 1, 0, 1, 0});
  });
}

/// Kicks some particles, half by a constant, half by a value that is a structure.
void kick_particles(bench& b) {
  array<particle> p({100}, particle{1, 2, 3});
  const auto d = b.put(p);
  float dt = 0.5f;
  particle wind{0, 8, 2};
  b.launch(kick.code(), range({0}, {100}), {d, bench::value(dt), bench::value(wind)});
  b.get(p, d);
  for (const particle& one : p.values) {
    CHECK(one.v == 4.0f);
    CHECK(one.x == 3.0f);
    CHECK(one.kicks == 5);
  }
}

TEST_CASE("structures and constants are the host's") { on_each(kick_particles); }

TEST_CASE("ids of any range are exact, whether they are ints or not") {
  on_each([](bench& b) {
    if (!b.on->about().has_atomics_64) return;
    constexpr std::int64_t int_max = std::numeric_limits<int>::max(), n = 130;
    for (std::int64_t from :
         {std::int64_t{-5}, 1'999'999'870l, int_max - 60, -int_max - 80, 7'000'000'000'000l, -9'000'000'000'000l}) {
      CAPTURE(from);
      array<std::int64_t> x({n}, 0, {from}), sum({3}, 0);
      auto there = b.put(x), sums = b.put(sum);
      b.launch(ids_far_away.code(), range({from}, {from + n}), {there, sums, b.value(from)});
      b.get(x, there), b.get(sum, sums);
      std::int64_t expected[3] = {};
      for (std::int64_t i = 0; i < n; ++i) {
        CHECK(x.values[static_cast<std::size_t>(i)] == from + i);
        expected[i % 3] += from + i;
      }
      for (int k = 0; k < 3; ++k) CHECK(sum.values[static_cast<std::size_t>(k)] == expected[k]);
      b.give_all_back();
    }
    for (const std::int64_t from : {std::int64_t{-5}, int_max / 8 - 9, 700'000'000'000l}) {
      CAPTURE(from);
      array<std::int64_t> x({8 * 10}, 0, {8 * from});
      const auto there = b.put(x);
      b.launch(ids_of_groups_far_away.code(), range({from}, {from + 10}, {8}), {there});
      b.get(x, there);
      for (std::int64_t i = 0; i < 80; ++i) CHECK(x.values[static_cast<std::size_t>(i)] == 2 * (from + i / 8) * 8);
      b.give_all_back();
    }
  });
}

TEST_CASE("elements are found by indices of any type, near the origin and too far from it for ints") {
  on_each([](bench& b) {
    // Rows of four: address sums that just fit into int, just do not, and need 33 bits and more.
    constexpr std::int64_t int_max = std::numeric_limits<int>::max(), rows = 60;
    for (const std::int64_t from : {std::int64_t{0}, std::int64_t{-7}, int_max / 8 - 70, int_max / 8 - 30,
                                    -int_max / 8 - 20, 1'999'999'900l, -1'999'999'900l}) {
      CAPTURE(from);
      const bool is_negative = from < 0;
      array<int> x({rows, 4}, 0, {from, is_negative ? -2 : 1}), y({rows, 4}, 0, {from, is_negative ? -2 : 1});
      std::iota(x.values.begin(), x.values.end(), 1);
      const auto in = b.put(x), out = b.put(y);
      std::int64_t first = from;
      int has_unsigned = !is_negative;
      b.launch(by_indices_of_all_types.code(), range({from, x.min[1]}, {from + rows, x.min[1] + 4}),
               {in, out, b.value(first), b.value(has_unsigned)});
      b.get(y, out);
      for (std::size_t k = 0; k < x.values.size(); ++k) CHECK(y.values[k] == 15 * x.values[k]);
      b.give_all_back();
    }
  });
}

TEST_CASE(
    "lines of large ranges are cut into groups that leave few items over, those of others into groups of one length") {
  const auto line = [](const std::vector<std::int64_t>& last) {
    return range(std::vector<std::int64_t>(last.size(), 0), last).items_in_line();
  };
  CHECK(line({1}) == 64);
  CHECK(line({100, 161}) == 64);  // another shape is not worth compiling
  CHECK(line({161, 161, 161}) == 168);
  CHECK(line({4000, 1000}) == 64);
  CHECK(line({4000, 600}) == 200);
  CHECK(line({100'000, 33}) == 40);
  CHECK(line({1 << 24, 3}) == 8);
  CHECK(line({6200, 170}) == 176);
  on_each([](bench& b) {
    constexpr std::int64_t rows = 6200, columns = 170;
    unsigned first = 5;
    array<unsigned> a({rows, columns + 30}, 7);
    const auto there = b.put(a);
    b.launch(set_all.code(), range({0, 0}, {rows, columns}), {there, b.value(first)});
    b.get(a, there);
    bool right = true;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns + 30; ++j)
        right = right && a.values[static_cast<std::size_t>(i * (columns + 30) + j)] ==
                             (j < columns ? static_cast<unsigned>(5 + i * 31 + j) : 7);
    CHECK(right);
  });
}

TEST_CASE("structures of any size begin anywhere") {
  on_each([](bench& b) {
    b.take(256);  // no multiple of the 12 bytes of a particle
    kick_particles(b);
  });
}

TEST_CASE("mathematics agree with the host's to some units in the last place") {
  on_each([](bench& b) {
    if (!b.on->about().has_double) return;
    array<double> x({64}), y({64, 3}), host({64, 3});
    for (std::size_t i = 0; i < 64; ++i) x.values[i] = 0.37 * static_cast<double>(i);
    const auto dx = b.put(x), dy = b.put(y);
    b.launch(mathematics.code(), range({0}, {64}), {dx, dy});
    b.get(y, dy);
    on_host(mathematics.code(), range({0}, {64}), {x.here(), host.here()});
    for (std::size_t i = 0; i < y.values.size(); ++i)
      CHECK(std::abs(y.values[i] - host.values[i]) <= 1e-13 * (1 + std::abs(host.values[i])));
  });
}

TEST_CASE("atomics count every item once") {
  on_each([](bench& b) {
    if (!b.on->about().has_double || !b.on->about().has_atomics_64) return;
    array<int> x({10'000}), count({4}), least({1}, 1 << 30);
    array<float> sum({1});
    array<double> most({1}, -1.0);
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<int>(i * 7919 % 10'007);
    const auto dx = b.put(x), dc = b.put(count), ds = b.put(sum), dl = b.put(least), dm = b.put(most);
    b.launch(tally.code(), range({0}, {10'000}), {dx, dc, ds, dl, dm});
    b.get(count, dc), b.get(sum, ds), b.get(least, dl), b.get(most, dm);
    CHECK(std::accumulate(count.values.begin(), count.values.end(), 0) == 10'000);
    CHECK(sum.values[0] == 10'000.0f);
    CHECK(least.values[0] == *std::min_element(x.values.begin(), x.values.end()));
    CHECK(most.values[0] == *std::max_element(x.values.begin(), x.values.end()));
  });
}

TEST_CASE("groups share local memory between regions") {
  on_each([](bench& b) {
    array<float> x({256}), sums({8});
    std::iota(x.values.begin(), x.values.end(), 1.0f);
    const auto dx = b.put(x), ds = b.put(sums);
    const launch_argument part{local_elements(32)};
    b.launch(sum_of_group.code(), range({0}, {8}, {32}), {dx, ds, part});
    b.get(sums, ds);
    for (std::size_t g = 0; g < 8; ++g) CHECK(sums.values[g] == 32.0f * static_cast<float>(64 * g + 33) / 2);
  });
}

TEST_CASE("arrays and values of a group last from region to region") {
  on_each([](bench& b) {
    if (!b.on->about().has_double) return;
    constexpr int n = 24;
    array<double> x({n, n}), y({n, n}), z({n, n}), host({n, n});
    for (std::size_t i = 0; i < n * n; ++i)
      x.values[i] = static_cast<double>(i % 7), y.values[i] = static_cast<double>(i % 5);
    int size = n;
    const auto dx = b.put(x), dy = b.put(y), dz = b.put(z);
    const launch_range r = range({0, 0}, {3, 3}, {8, 8});
    b.launch(tiled_product.code(), r, {dx, dy, dz, bench::value(size)});
    b.get(z, dz);
    on_host(tiled_product.code(), r, {x.here(), y.here(), host.here(), stretto::device::value(size)});
    CHECK(z.values == host.values);
  });
}

TEST_CASE("operations of a stream run in order without the host") {
  on_each([](bench& b) {
    array<int> x({64}, 0);
    const auto d = b.put(x);
    for (int i = 0; i < 200; ++i) b.launch(add_one.code(), range({0}, {64}), {d});
    b.get(x, d);
    CHECK(x.values == std::vector<int>(64, 200));
  });
}

TEST_CASE("a stream waits for a marker of another one") {
  on_each([](bench& b) {
    array<int> x({4096}, 0);
    const auto d = b.put(x);
    const auto other = b.on->make_stream();
    other->wait_for(b.s->record_marker());
    const auto add = b.on->compile(add_one.code());
    for (int i = 0; i < 25; ++i) {  // alternately: each stream sees the other's writes
      other->launch(*add, range({0}, {4096}), std::vector{d}, nullptr);
      b.s->wait_for(other->record_marker());
      b.launch(add_one.code(), range({0}, {4096}), {d});
      other->wait_for(b.s->record_marker());
    }
    b.get(x, d);
    CHECK(x.values == std::vector<int>(4096, 50));
    other->wait_for(stream_marker());  // a default marker counts as reached
  });
}

TEST_CASE("every completion runs once, in the order of its stream") {
  on_each([](bench& b) {
    array<int> x({16}, 0);
    const auto d = b.put(x);
    std::vector<counting_completion> all(300);
    for (counting_completion& e : all) b.launch(add_one.code(), range({0}, {16}), {d}, &e);
    b.wait(all.back());
    for (const counting_completion& e : all) CHECK(e.times == 1);
    CHECK(b.on->pending() == 0);
  });
}

TEST_CASE("a device that will ring rings when what is under way, or begins later, has ended") {
  on_each([](bench& b) {
    array<int> x({1 << 12}, 0);
    const auto d = b.put(x);
    std::atomic<int> rung{0};
    const auto calls = std::make_shared<completion_notifier>([&] { ++rung; });
    for (int round = 0; round < 100; ++round) {
      rung = 0;
      counting_completion e;
      bool will = round % 2 && b.on->will_notify(calls);
      b.launch(add_one.code(), range({0}, {1 << 12}), {d}, &e);
      if (round % 2 == 0) will = b.on->will_notify(calls);
      while (will && !rung) std::this_thread::yield();
      if (will) CHECK(b.on->poll() == 1);
      b.wait(e);
    }
    calls->disconnect();
  });
}

TEST_CASE("launches from several threads, each with its stream, all take place") {
  on_each([](bench& b) {
    constexpr int threads = 4, each = 50;
    std::vector<launch_argument> d;
    array<int> x({128}, 0);
    for (int t = 0; t < threads; ++t) d.push_back(b.put(x));
    counting_completion copied;
    b.s->fill({{}, b.take(64)}, {64}, std::as_bytes(std::span("\1", 1)), &copied);
    b.wait(copied);
    const auto add = b.on->compile(add_one.code());
    std::vector<std::jthread> running;
    std::vector<std::unique_ptr<stream>> streams;
    for (int t = 0; t < threads; ++t) streams.push_back(b.on->make_stream());
    std::vector<counting_completion> last(threads);
    for (std::size_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (int i = 0; i < each; ++i)
          streams[t]->launch(*add, range({0}, {128}), std::vector{d[t]}, i + 1 == each ? &last[t] : nullptr);
      });
    running.clear();
    for (std::size_t t = 0; t < threads; ++t) {
      b.wait(last[t]);
      b.get(x, d[t]);
      CHECK(x.values == std::vector<int>(128, each));
    }
  });
}

TEST_CASE("rows that overlap, lie far apart or in odd planes are copied one by one") {
  on_each([](bench& b) {
    std::vector<std::byte> from(600), back(600, std::byte{0xee});
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251);
    std::byte* const at = b.take(1024);
    counting_completion e, f;
    b.s->copy({{}, from.data(), 0, 0}, {{}, at, 8, 0}, {8, 4, 1}, nullptr);  // one row, four times
    // the plane distance is no multiple of the row distance
    b.s->copy({{}, from.data() + 100, 7, 100}, {{}, at + 64, 9, 31}, {5, 3, 4}, nullptr);
    b.s->copy({{}, at, 8, 0}, {{}, back.data(), 8, 0}, {8, 4, 1}, &e);
    b.s->copy({{}, at + 64, 9, 31}, {{}, back.data() + 100, 7, 100}, {5, 3, 4}, &f);
    b.wait(e), b.wait(f);
    for (std::size_t i = 0; i < 32; ++i) CHECK(back[i] == from[i % 8]);
    for (std::size_t i = 0; i < 400; ++i) {
      const bool inside = i % 100 / 7 < 3 && i % 100 % 7 < 5;
      CHECK(back[100 + i] == (inside ? from[100 + i] : std::byte{0xee}));
    }
  });
}

TEST_CASE("memory of the host that a device has page-locked is memory") {
  on_each([](bench& b) {
    alignas(4096) static std::byte host[1 << 16];
    const bool is_locked = b.on->lock_host(host, sizeof host);  // false if page-locking makes no difference
    CHECK((!is_locked || b.on->about().copies_page_locked_faster));
    std::memset(host, 7, 1 << 16);
    std::byte* const at = b.take(1 << 16);
    counting_completion e;
    b.s->copy({{}, host}, {{}, at}, {1 << 15}, nullptr);
    b.s->copy({{}, at}, {{}, host + (1 << 15)}, {1 << 15}, nullptr);
    b.s->fill({{}, at}, {1 << 15}, std::as_bytes(std::span("\2", 1)), nullptr);
    b.s->copy({{}, at}, {{}, host}, {1 << 15}, &e);
    b.wait(e);
    for (std::size_t i = 0; i < 1 << 16; ++i) REQUIRE(host[i] == std::byte(i < 1 << 15 ? 2 : 7));
    if (is_locked) b.on->unlock_host(host);
  });
}

TEST_CASE("kernels use memory of the host in place, beside the device's own") {
  on_each([](bench& b) {
    std::byte* const host = b.on->host_memory();
    CHECK((host != nullptr) == (b.on->about().host_memory_bytes > 0));
    if (!host) return;  // null: the device has no such memory
    REQUIRE(b.on->shares(host, 8192));
    CHECK_FALSE(b.on->owns(host));
    auto* const numbers = reinterpret_cast<int*>(host + 4096);
    std::iota(numbers, numbers + 64, 7);
    const launch_argument in_place{{reinterpret_cast<std::byte*>(numbers), {1}, {}, {64}}, host + 4096, 256};
    counting_completion first, second, third;
    b.launch(add_one.code(), range({0}, {64}), {in_place}, &first);
    b.wait(first);
    CHECK_FALSE(first.failure);
    CHECK(numbers[0] == 8);
    numbers[1] = 100;  // now the host writes
    for (int i = 0; i < 10; ++i) b.launch(add_one.code(), range({0}, {64}), {in_place}, nullptr);
    array<float> u({16, 16}), v({16, 16}, -1);
    for (std::size_t i = 0; i < u.values.size(); ++i) u.values[i] = static_cast<float>(i % 13);
    auto* const written = reinterpret_cast<float*>(host);
    float c = 0.25f;
    launch_argument dv = b.put(v);
    dv.is.origin = dv.first = host;
    b.launch(jacobi.code(), range({1, 1}, {15, 15}), {b.put(u), dv, bench::value(c)}, &second);
    b.wait(second);
    CHECK(numbers[0] == 18);
    CHECK(numbers[1] == 110);
    on_host(jacobi.code(), range({1, 1}, {15, 15}), {u.here(), v.here(), stretto::device::value(c)});
    for (std::size_t i = 1; i < 15; ++i)
      for (std::size_t j = 1; j < 15; ++j) CHECK(written[i * 16 + j] == v.values[i * 16 + j]);
    b.s->copy({{}, host + 4096}, {{}, dv.first + 8192}, {0}, nullptr);
    std::byte* const at = b.take(256);
    b.s->copy({{}, host + 4096}, {{}, at}, {256}, nullptr);
    b.s->copy({{}, at}, {{}, host + 16384}, {256}, &third);
    b.wait(third);
    CHECK(std::memcmp(host + 16384, numbers, 256) == 0);
    CHECK_THROWS_AS(b.launch(add_one.code(), range({0}, {64}), {{{host - 256, {1}, {}, {64}}, host - 256, 256}}),
                    const error&);
  });
}

TEST_CASE("the host reads and writes in place the memory of a device that it sees") {
  on_each([](bench& b) {
    if (!b.on->about().is_host_accessible) return;
    std::byte* const at = b.take(8192) + 4096;
    auto* const seen = reinterpret_cast<int*>(b.on->transport_address(at));
    REQUIRE(seen);
    CHECK(b.on->transport_address(at + 4) == reinterpret_cast<std::byte*>(seen + 1));
    std::iota(seen, seen + 64, 7);
    const launch_argument numbers{{at, {1}, {}, {64}}, at, 256};
    for (int turn = 1; turn <= 50; ++turn) {
      counting_completion kernels, copied;
      b.launch(add_one.code(), range({0}, {64}), {numbers}, nullptr);
      b.launch(add_one.code(), range({0}, {64}), {numbers}, &kernels);
      b.wait(kernels);
      REQUIRE_FALSE(kernels.failure);
      for (int i = 0; i < 64; ++i) REQUIRE(seen[i] == 7 + i + 3 * turn - 1);
      for (int i = 0; i < 64; ++i) ++seen[i];
      int back[64] = {};
      b.s->copy({{}, at}, {{}, reinterpret_cast<std::byte*>(back)}, {256}, &copied);
      b.wait(copied);
      CHECK(std::memcmp(back, seen, sizeof back) == 0);
    }
  });
}

TEST_CASE("a device reaches the memory of another one as it says") {
  for (const candidate& c : candidates()) {
    INFO(c.name);
    bench alone(c), stranger(c);
    CHECK(alone.on->reaches(*alone.on));
    if (!c.make_two) {
      // CUDA's driver has one primary context per device in a process.
      CHECK(alone.on->reaches(*stranger.on) == (alone.on->about().backend == "cuda"));
      continue;
    }
    auto [one, other] = c.make_two();
    REQUIRE(one->reaches(*other));
    REQUIRE(other->reaches(*one));
    const auto s = one->make_stream(), t = other->make_stream();
    const auto end_of = [&](stretto::device::device& d, counting_completion& e) {
      while (!e.times)
        if (!d.poll()) std::this_thread::yield();
      CHECK_FALSE(e.failure);
    };
    one->allocated(one->memory(), 32'000);
    other->allocated(other->memory(), 32'000);
    std::vector<int> numbers(3000), back(3000);
    std::iota(numbers.begin(), numbers.end(), 1);
    std::byte* const host = reinterpret_cast<std::byte*>(numbers.data());
    counting_completion in, across, rows, out;
    s->copy({{}, host}, {{}, one->memory()}, {12'000}, &in);
    end_of(*one, in);
    t->copy({{}, one->memory()}, {{}, other->memory() + 256}, {12'000}, &across);  // the other device reads
    end_of(*other, across);
    // The other device writes, in 3 planes of 2 rows of 12 bytes.
    t->copy({{}, other->memory() + 256, 400, 4000}, {{}, one->memory() + 20'000, 100, 1000}, {12, 2, 3}, &rows);
    end_of(*other, rows);
    s->copy({{}, one->memory() + 20'000, 100, 1000}, {{}, reinterpret_cast<std::byte*>(back.data()), 12, 24},
            {12, 2, 3}, &out);
    end_of(*one, out);
    for (std::size_t i = 0; i < 18; ++i) CHECK(back[i] == numbers[i / 6 * 1000 + i / 3 % 2 * 100 + i % 3]);
  }
}

TEST_CASE("a completion may make a stream and end another") {
  on_each([](bench& b) {
    struct maker : places::completion {
      maker()
          : places::completion(+[](places::work_item& w) noexcept {
              auto& m = static_cast<maker&>(w);
              for (int i = 0; i < 20; ++i) m.made.push_back(m.on->make_stream());
              m.ends.reset();
              m.happened = true;
            }) {}
      stretto::device::device* on = nullptr;
      std::unique_ptr<stream> ends;
      std::vector<std::unique_ptr<stream>> made;
      bool happened = false;
    } m;
    array<int> x({4}, 0);
    const auto d = b.put(x);
    m.on = b.on.get();
    m.ends = b.on->make_stream();
    const auto third = b.on->make_stream();
    b.launch(add_one.code(), range({0}, {4}), {d}, &m);
    while (!m.happened)
      if (!b.on->poll()) std::this_thread::yield();
    counting_completion e;
    m.made.back()->launch(*b.on->compile(add_one.code()), range({0}, {4}), std::vector{d}, &e);
    b.wait(e);
    b.get(x, d);
    CHECK(x.values == std::vector<int>(4, 2));
  });
}

TEST_CASE("ranges of few items on one axis and many on another are computed") {
  on_each([](bench& b) {
    array<int> x({70'000, 3});
    const auto d = b.put(x);
    b.launch(row_numbers.code(), range({0, 0}, {70'000, 3}), {d});
    b.get(x, d);
    bool right = true;
    for (int i = 0; i < 210'000; ++i) right = right && x.values[static_cast<std::size_t>(i)] == i;
    CHECK(right);
    array<int> sums({70'000 * 2});
    const auto ds = b.put(sums);
    b.launch(group_numbers.code(), range({0, 0}, {70'000, 1}, {1, 2}), {ds});
    b.get(sums, ds);
    right = true;
    for (int i = 0; i < 140'000; ++i) right = right && sums.values[static_cast<std::size_t>(i)] == i;
    CHECK(right);
  });
}

TEST_CASE("atomics of every type add, and keep the least and the greatest") {
  on_each([](bench& b) {
    if (!b.on->about().has_double || !b.on->about().has_atomics_64) return;
    array<int> a({3});
    array<unsigned> u({3});
    array<float> f({3});
    array<std::int64_t> l({3});
    array<std::uint64_t> w({3});
    array<double> g({3});
    const auto start = [](auto& x) { x.values = {0, 100, 0}; };
    start(a), start(u), start(f), start(l), start(w), start(g);
    const std::vector d{b.put(a), b.put(u), b.put(f), b.put(l), b.put(w), b.put(g)};
    b.launch(every_atomic.code(), range({0}, {100}), d);
    b.get(a, d[0]), b.get(u, d[1]), b.get(f, d[2]), b.get(l, d[3]), b.get(w, d[4]), b.get(g, d[5]);
    const auto right = [](const auto& x) { return x.values[0] == 5050 && x.values[1] == 1 && x.values[2] == 100; };
    CHECK(right(a));
    CHECK(right(u));
    CHECK(right(f));
    CHECK(right(l));
    CHECK(right(w));
    CHECK(right(g));
  });
}

/// The value that a device and a serial loop without atomics compute.
template <class Op>
struct folded {
  using type = typename Op::rhs_type;
  array<type> value{{1}, Op::identity()};
  type expected = Op::identity();
  launch_argument there;

  explicit folded(bench& b) : there(b.put(value)) {}
  void add(type v) { Op::fold(expected, v); }
  bool is_right(bench& b) {
    b.get(value, there);
    return value.values[0] == expected;
  }
};

TEST_CASE("contributions of all items are folded into an array, and none is lost") {
  on_each([](bench& b) {
    constexpr std::int64_t n = 3000;
    array<int> x({n}), count({8}, 5);
    array<float> table({3, 8}, 1.0f);
    std::vector<int> counts(8, 5);
    std::vector<float> tables(24, 1.0f);
    for (std::size_t i = 0; i < n; ++i) {
      const int v = x.values[i] = static_cast<int>(i * 7919 % 211);
      counts[static_cast<std::size_t>(v % 8)] += v > 100 ? 2 : 1;
      tables[static_cast<std::size_t>(v % 3 * 8 + v % 8)] += 0.5f;
      tables[static_cast<std::size_t>((2 - v % 3) * 8 + 7)] += static_cast<float>(v) + 0.25f;
    }
    const auto dx = b.put(x), dc = b.put(count), dt = b.put(table);
    b.launch(histogram.code(), range({0}, {n}), {dx, dc, dt});
    b.get(count, dc), b.get(table, dt);
    CHECK(count.values == counts);
    CHECK(table.values == tables);  // quarters of small sums: exact in any order
  });
}

TEST_CASE("operators of the program's own fold elements of any size") {
  on_each([](bench& b) {
    constexpr std::int64_t n = 3000;
    array<int> x({n});
    array<nearest_hit> near({1}, nearest::identity());
    array<plane_number> s({3, 2}, plane_number{1, 2});
    array<top_values> top({2}, top_three::identity());
    array<three_bytes> odd({5}, xor_of_three::identity());
    array<int> p({1}, 7);
    auto expected_near = near.values[0];
    auto expected_s = s.values;
    auto expected_top = top.values;
    auto expected_odd = odd.values;
    int expected_p = 7;
    for (int i = 0; i < n; ++i) {
      const int v = x.values[static_cast<std::size_t>(i)] =
          static_cast<int>(static_cast<std::int64_t>(i) * 7919 % 10'007);
      nearest::fold(expected_near, {std::fabs(static_cast<float>(v) - 5000.5f), i});
      sum_in_plane::fold(expected_s[static_cast<std::size_t>(v % 3 * 2 + i % 2)], {double(v), double(2 * i)});
      top_three::fold(expected_top[v % 2 ? 0 : 1], {{v, 0, 0}, 1});
      xor_of_three::fold(expected_odd[static_cast<std::size_t>(v % 5)],
                         {{static_cast<std::uint8_t>(v), static_cast<std::uint8_t>(i), 255}});
      product_of_remainders::fold(expected_p, v % 10'006 + 1);
    }
    const auto dn = b.put(near), ds = b.put(s), dt = b.put(top), dodd = b.put(odd), dp = b.put(p);
    b.launch(folds_by_own.code(), range({0}, {n}), {b.put(x), dn, ds, dt, dodd, dp});
    b.get(near, dn), b.get(s, ds), b.get(top, dt), b.get(odd, dodd), b.get(p, dp);
    CHECK(near.values[0].distance == expected_near.distance);
    CHECK(near.values[0].at == expected_near.at);
    for (std::size_t k = 0; k < 6; ++k) {
      CHECK(s.values[k].re == expected_s[k].re);
      CHECK(s.values[k].im == expected_s[k].im);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(top.values[k].known == 3);
      CHECK(std::equal(top.values[k].is, top.values[k].is + 3, expected_top[k].is));
    }
    for (std::size_t k = 0; k < 5; ++k) CHECK(std::equal(odd.values[k].is, odd.values[k].is + 3, expected_odd[k].is));
    CHECK(p.values[0] == expected_p);
  });
}

TEST_CASE("every operator folds numbers of 32 bits") {
  on_each([](bench& b) {
    constexpr std::int64_t n = 2000;
    array<unsigned> x({n});
    array<float> y({n});
    folded<sum<int>> s(b);
    folded<product<unsigned>> p(b);
    folded<minimum<int>> least(b);
    folded<maximum<unsigned>> most(b);
    folded<bit_and<unsigned>> all(b);
    folded<bit_or<int>> any(b);
    folded<bit_xor<unsigned>> odd(b);
    folded<sum<float>> sums(b);
    folded<product<float>> products(b);
    folded<minimum<float>> floor(b);
    folded<maximum<float>> top(b);
    for (std::size_t i = 0; i < n; ++i) {
      const unsigned v = x.values[i] = static_cast<unsigned>(i * 7919 % 10'007 + 8);
      s.add(static_cast<int>(v)), p.add(v | 1u), least.add(static_cast<int>(v)), most.add(v), all.add(v | 4u);
      any.add(static_cast<int>(v << 1)), odd.add(v);
      const float w = y.values[i] = static_cast<float>(i % 7) - 0.5f;
      sums.add(w), products.add(w < 0 ? 0.5f : w > 3 && w < 4 ? 2.0f : 1.0f), floor.add(w), top.add(w);
    }
    b.launch(folds_of_words.code(), range({0}, {n}),
             {b.put(x), s.there, p.there, least.there, most.there, all.there, any.there, odd.there});
    CHECK(s.is_right(b));
    CHECK(p.is_right(b));
    CHECK(least.is_right(b));
    CHECK(most.is_right(b));
    CHECK(all.is_right(b));
    CHECK(any.is_right(b));
    CHECK(odd.is_right(b));
    b.launch(folds_of_floats.code(), range({0}, {n}), {b.put(y), sums.there, products.there, floor.there, top.there});
    CHECK(sums.is_right(b));
    CHECK(products.is_right(b));
    CHECK(floor.is_right(b));
    CHECK(top.is_right(b));
  });
}

TEST_CASE("every operator folds numbers of 64 bits") {
  on_each([](bench& b) {
    if (!b.on->about().has_double || !b.on->about().has_atomics_64) return;
    constexpr std::int64_t n = 2000;
    array<std::int64_t> x({n});
    folded<sum<std::int64_t>> s(b);
    folded<product<std::uint64_t>> p(b);
    folded<minimum<std::int64_t>> least(b);
    folded<maximum<std::uint64_t>> most(b);
    folded<bit_and<std::int64_t>> all(b);
    folded<bit_or<std::uint64_t>> any(b);
    folded<bit_xor<std::int64_t>> odd(b);
    folded<sum<double>> sums(b);
    folded<product<double>> products(b);
    folded<minimum<double>> floor(b);
    folded<maximum<double>> top(b);
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t v = x.values[i] =
          (std::int64_t{1} << 36) * static_cast<std::int64_t>(i * 31 % 17) + static_cast<std::int64_t>(i);
      const auto u = static_cast<std::uint64_t>(v);
      const auto w = static_cast<double>(v);
      s.add(v), p.add(u * 2 + 1), least.add(v), most.add(u), all.add(v), any.add(u), odd.add(v);
      sums.add(w), products.add(v % 2 ? 2.0 : 0.5), floor.add(-w), top.add(w);
    }
    b.launch(folds_of_64_bits.code(), range({0}, {n}),
             {b.put(x), s.there, p.there, least.there, most.there, all.there, any.there, odd.there, sums.there,
              products.there, floor.there, top.there});
    CHECK(s.is_right(b));
    CHECK(p.is_right(b));
    CHECK(least.is_right(b));
    CHECK(most.is_right(b));
    CHECK(all.is_right(b));
    CHECK(any.is_right(b));
    CHECK(odd.is_right(b));
    CHECK(sums.is_right(b));
    CHECK(products.is_right(b));
    CHECK(floor.is_right(b));
    CHECK(top.is_right(b));
  });
}

TEST_CASE("contributions to integers of long names are those to the same integers of short ones") {
  on_each([](bench& b) {
    if (!b.on->about().has_double || !b.on->about().has_atomics_64) return;
    constexpr int n = 1000;
    array<long long> x({n}), s({1}), t({1}, 5);
    array<unsigned long> most({1});
    array<unsigned> count({1});
    array<unsigned long long> odd({1});
    long long sum = 0;
    unsigned long long all_odd = 0;
    for (int i = 0; i < n; ++i) {
      const long long v = x.values[static_cast<std::size_t>(i)] = i * (1ll << 33);
      sum += v;
      all_odd ^= static_cast<unsigned long long>(v);
    }
    const auto dx = b.put(x), ds = b.put(s), dm = b.put(most), dn = b.put(count), d_odd = b.put(odd), dt = b.put(t);
    b.launch(folds_of_long_names.code(), range({0}, {n}), {dx, ds, dm, dn, d_odd, dt});
    b.get(s, ds), b.get(most, dm), b.get(count, dn), b.get(odd, d_odd), b.get(t, dt);
    CHECK(s.values[0] == sum);
    CHECK(most.values[0] == (n - 1) * (1ul << 33));
    CHECK(count.values[0] == n);
    CHECK(odd.values[0] == all_odd);
    CHECK(t.values[0] == 5 + sum);
  });
}

TEST_CASE("mathematics take the type of their first number") {
  on_each([](bench& b) {
    array<float> x({16}), y({16, 2}), host({16, 2});
    for (std::size_t i = 0; i < 16; ++i) x.values[i] = 0.3f + 0.21f * static_cast<float>(i);
    const auto dx = b.put(x), dy = b.put(y);
    b.launch(mixed_mathematics.code(), range({0}, {16}), {dx, dy});
    b.get(y, dy);
    on_host(mixed_mathematics.code(), range({0}, {16}), {x.here(), host.here()});
    for (std::size_t i = 0; i < y.values.size(); ++i)
      CHECK(std::abs(y.values[i] - host.values[i]) <= 1e-5f * (1 + std::abs(host.values[i])));
  });
}

error refusal(bench& b, const kernel_code& code, const launch_range& r, const std::vector<launch_argument>& a) {
  try {
    b.launch(code, r, a);
  } catch (const error& e) {
    return e;
  }
  return error("", "it was not refused");
}

TEST_CASE("an impossible launch is refused before it begins") {
  on_each([](bench& b) {
    array<int> x({16});
    launch_argument host{x.here(), reinterpret_cast<std::byte*>(x.values.data()), x.bytes()};
    CHECK(refusal(b, add_one.code(), range({0}, {16}), {host}).code() == "K21");
    CHECK(refusal(b, add_one.code(), range({0}, {16}), {}).code() == "K20");
    array<float> f({1 << 12}), sums({4});
    const auto df = b.put(f), ds = b.put(sums);
    const std::int64_t many = b.on->about().most_items_per_group + 1;
    CHECK(refusal(b, sum_of_group.code(), range({0}, {1}, {many}), {df, ds, {local_elements(4)}}).code() == "K22");
    CHECK(refusal(b, sum_of_group.code(), range({0}, {1}, {4}), {df, ds, {local_elements(1 << 28)}}).code() == "K23");
    if (b.on->about().backend == "cuda")
      CHECK(refusal(b, sum_of_group.code(), range({0}, {std::int64_t{1} << 31}, {4}), {df, ds, {local_elements(4)}})
                .code() == "K44");
  });
}

}  // namespace
}  // namespace stretto::device
