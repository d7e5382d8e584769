// Kernels over instances: ranges, preconditions, checks, errors.
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/launch.hpp>
#include <stretto/native_kernel.hpp>
#include <stretto/platform.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "device/kernels_for_tests.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

template <class Body>
void on_workers(unsigned workers, Body&& body) {
  runtime rt({.workers = workers});
  rt.run([&] { body(rt.machine().memories()[0]); });
}

const native_kernel<void(kernels::out<int>)> notes_its_worker({
    .name = "notes_its_worker",
    .host =
        [](const kernel_work& w, kernels::out<int> worker_of) {
          for (auto i = w.min[0]; i < w.max[0]; ++i) worker_of(i) = static_cast<int>(this_worker());
        },
});

TEST_CASE("a launch on a worker is computed by that worker, however large it is") {
  constexpr int n = 100'000;
  runtime rt({.workers = 3});
  rt.run([&] {
    auto worker_of = instance<int>::create(at(rt.machine().memories()[0]), {0, n}).made;
    wait(fill(worker_of, -1));
    recorded_graph<> g;
    launch(g, on(worker(1)), notes_its_worker, box(0, n), worker_of);
    for (int round = 0; round < 6; ++round) {
      const auto w = static_cast<std::uint32_t>(round) % 3;
      wait(launch(on(worker(w)), name("bound"), notes_its_worker, box(0, n), worker_of));
      CHECK(std::count(worker_of.data(), worker_of.data() + n, static_cast<int>(w)) == n);
      wait(g.replay());
      CHECK(std::count(worker_of.data(), worker_of.data() + n, 1) == n);
    }
    CHECK(test::error_of([&] { launch(on(worker(3)), notes_its_worker, box(0, n), worker_of); }).code() == "S03");
    worker_of.destroy();
  });
}

TEST_CASE("a launch on a worker whose arrays a device has is refused") {
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    auto x = instance<int>::create(at(rt.machine().at("sim_0_memory")), {0, 8}).made;
    const std::string words = test::thrown_by([&] { launch(on(worker(0)), notes_its_worker, box(0, 8), x); });
    CHECK(
        words.starts_with("error K28: kernel \"notes_its_worker\" is launched on worker 0, but its arrays are in the "
                          "memory of device \"sim_0\"\n"
                          "  launched    launch_test.cpp:"));
    CHECK(
        words.ends_with("  because     a kernel runs where its arrays are, and a worker cannot access device memory\n"
                        "  try         omit on(worker(i)), or copy() the arrays to host memory"));
    recorded_graph<> g;
    CHECK(test::error_of([&] { launch(g, on(worker(0)), notes_its_worker, box(0, 8), x); }).code() == "K28");
    x.destroy();
  });
}

TEST_CASE("launches after one another give what a loop gives") {
  for (const unsigned workers : {1u, 2u, 4u})
    on_workers(workers, [](place ram) {
      constexpr int n = 120;
      const box whole({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
      auto u = instance<float, 2>::create(at(ram), whole).made, v = instance<float, 2>::create(at(ram), whole).made;
      event before = merge(std::vector<event>{fill(u, 0.0f), fill(v, 0.0f)});
      wait(before);
      u.view()(n / 2, n / 2) = 1024.0f;
      std::vector<float> a(n * n), b(n * n);
      a[n / 2 * n + n / 2] = 1024.0f;
      event last = launch(jacobi, inside, u, v, 0.25);
      for (int step = 1; step < 8; ++step)
        last = step % 2 ? launch(after(last), jacobi, inside, v, u, 0.25f)
                        : launch(after(last), jacobi, inside, u, v, 0.25f);
      wait(last);
      for (int step = 0; step < 8; ++step) {
        for (int i = 1; i < n - 1; ++i)
          for (int j = 1; j < n - 1; ++j)
            b[i * n + j] = a[i * n + j] + 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                                                   a[i * n + j + 1] - 4 * a[i * n + j]);
        std::swap(a, b);
      }
      const auto view = u.view();
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) CHECK(view(i, j) == a[i * n + j]);
      u.destroy(), v.destroy();
    });
}

TEST_CASE("ids of one, two and three axes are those of the box, wherever it begins") {
  on_workers(2, [](place ram) {
    const box all({-3, 5, 100}, {7, 40, 190});
    auto x = instance<int, 3>::create(at(ram), all).made;
    wait(launch(numbered, all, x));
    const auto v = x.view();
    for (int i = -3; i < 7; ++i)
      for (int j = 5; j < 40; ++j)
        for (int k = 100; k < 190; ++k) CHECK(v(i, j, k) == i * 10000 + j * 100 + k);
    x.destroy();
  });
}

TEST_CASE("an array in Fortran order is the same array") {
  on_workers(2, [](place ram) {
    auto x = instance<int, 3>::create(at(ram), {{0, 0, 0}, {9, 8, 7}}, {.order = axis_order::fortran}).made;
    wait(launch(numbered, x.elements(), x));
    CHECK(x.view()(8, 7, 6) == 80706);
    CHECK(x.view()(1, 2, 3) == 10203);
    x.destroy();
  });
}

TEST_CASE("groups share local memory, and there may be many of them") {
  on_workers(2, [](place ram) {
    constexpr int groups = 1000, size = 16;
    auto x = instance<float>::create(at(ram), {0, groups * size}).made,
         sums = instance<float>::create(at(ram), {0, groups}).made;
    for (int i = 0; i < groups * size; ++i) x.view()(i) = static_cast<float>(i % 100);
    wait(launch(name("sums"), sum_of_group, in_groups({0, groups}, size), x, sums, local_size{size}));
    for (int g = 0; g < groups; ++g) {
      float sum = 0;
      for (int i = 0; i < size; ++i) sum += x.view()(g * size + i);
      CHECK(sums.view()(g) == sum);
    }
    x.destroy(), sums.destroy();
  });
}

TEST_CASE("launches that only contribute to an array may run side by side") {
  for (const unsigned workers : {1u, 2u, 4u})
    on_workers(workers, [](place ram) {
      constexpr int n = 20'000, launches = 6;
      auto x = instance<int>::create(at(ram), {0, n}).made, count = instance<int>::create(at(ram), {0, 8}).made;
      auto table = instance<float, 2>::create(at(ram), {{0, 0}, {3, 8}}).made;
      event zero = fill(count, 0), none = fill(table, 0.0f);
      for (int i = 0; i < n; ++i) x.view()(i) = i % 101;
      std::vector<event> all;
      for (int k = 0; k < launches; ++k)
        all.push_back(launch(after(zero, none), histogram, box(0, n), x, count, table));
      wait(merge(all));
      int counted = 0;
      for (int b = 0; b < 8; ++b) counted += count.view()(b);
      CHECK(counted == launches * n);
      float some = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 7; ++j) some += table.view()(i, j);
      int below_seven = 0;
      for (int i = 0; i < n; ++i) below_seven += i % 101 % 8 < 7;
      CHECK(some == 0.5f * static_cast<float>(launches * below_seven));
      x.destroy(), count.destroy(), table.destroy();
    });
}

TEST_CASE("a launch waits for its instances, and destruction for the launch") {
  on_workers(2, [](place ram) {
    const auto gate = user_event::create();
    auto [x, ready] = instance<int>::create(at(ram), {0, 10}, after(gate));
    const auto filled = fill(x, 4);
    const auto added = launch(after(filled), add_one, box(0, 10), x);
    const event gone = x.destroy(after(added));
    CHECK_FALSE(added.has_triggered());
    gate.trigger();
    wait(gone);
    CHECK(added.has_triggered());
    wait(added);
  });
}

TEST_CASE("a poisoned precondition skips a launch") {
  on_workers(1, [](place ram) {
    auto x = instance<int>::create(at(ram), {0, 4}).made;
    wait(fill(x, 1));
    auto fails = async([]() -> int { throw std::runtime_error("no data"); });
    auto skipped = launch(after(fails), add_one, box(0, 4), x);
    const std::string error_text = test::thrown_by([&] { wait(skipped); });
    CHECK(error_text.find("no data") != std::string::npos);
    CHECK(error_text.find("add_one") != std::string::npos);
    CHECK(x.view()(0) == 1);
    x.destroy();
  });
}

TEST_CASE("with the option check an index outside of its array ends the launch with K01") {
  setenv("STRETTO_CHECK", "1", 1);
  on_workers(2, [](place ram) {
    auto u = instance<float, 2>::create(at(ram), {{0, 0}, {100, 100}}).made;
    auto v = instance<float, 2>::create(at(ram), {{0, 0}, {100, 100}}).made;
    wait(fill(u, 1.0f));
    wait(launch(jacobi, box({1, 1}, {99, 99}), u, v, 1.0f));
    const std::string error_text = test::thrown_by([&] { wait(launch(jacobi, box({1, 1}, {99, 100}), u, v, 1.0f)); });
    CHECK(error_text.find("error K01: kernel \"jacobi\" accesses an element outside of array \"u\"") !=
          std::string::npos);
    CHECK(error_text.find(", 100)") != std::string::npos);
    u.destroy(), v.destroy();
  });
  unsetenv("STRETTO_CHECK");
}

STRETTO_GROUP_KERNEL(launch_turns_at_once, (inout<float> x, local<float> kept), {
  each_item([&](item it) {
    kept(it.local_id(0)) = x(it.global_id(0));
    x(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0));
  });
})
STRETTO_GROUP_KERNEL(launch_turns, (inout<float> x, local<float> kept), {
  each_item([&](item it) { kept(it.local_id(0)) = x(it.global_id(0)); });
  each_item([&](item it) { x(it.global_id(0)) = kept((it.local_id(0) + 1) % group_size(0)); });
})

TEST_CASE("with the option check races within a group are reported, on the host and on simulated devices") {
  const test::with_variable check("STRETTO_CHECK", "1");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    for (const place memory : rt.machine().memories()) {
      INFO(rt.machine().name(memory));
      const bool is_host = memory == rt.machine().memories()[0];
      if (!is_host && rt.machine().kind(memory) != place_kind::gpu_memory) continue;
      auto x = instance<float>::create(at(memory), {0, 64}).made;
      wait(fill(x, 1.0f));
      const std::string fine =
          test::thrown_by([&] { wait(launch(launch_turns, in_groups({0, 4}, 16), x, local_size{16})); });
      CHECK(fine == "nothing was thrown");
      std::vector<float> numbers(64);
      std::iota(numbers.begin(), numbers.end(), 0.0f);
      auto from = instance<float>::external(numbers.data(), {0, 64});
      wait(copy(from, x));
      const std::string why =
          test::thrown_by([&] { wait(launch(launch_turns_at_once, in_groups({0, 4}, 16), x, local_size{16})); });
      CHECK(why.find("error K03: two items of a group of kernel \"launch_turns_at_once\" use ") != std::string::npos);
      CHECK(why.find("item        (0) of the group, (0) of all") != std::string::npos);
      from.destroy(), x.destroy();
    }
  });
}

STRETTO_KERNEL(launch_shifts_in_place, (inout<float> x), { x(global_id(0)) = x(global_id(0) + 1); })
STRETTO_KERNEL(launch_adds_to_out, (out<float> x), { x(global_id(0)) += 1; })
STRETTO_GROUP_KERNEL(launch_reads_raw, (inout<float> x), {
  auto tile = local_array<float, 16>();
  each_item([&](item it) { x(it.global_id(0)) = tile(it.local_id(0)); });
})

TEST_CASE(
    "with the option check races between items and reads without a value are reported, on the host and on simulated "
    "devices") {
  const test::with_variable check("STRETTO_CHECK", "1");
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] {
    for (const place memory : rt.machine().memories()) {
      INFO(rt.machine().name(memory));
      const bool is_host = memory == rt.machine().memories()[0];
      if (!is_host && rt.machine().kind(memory) != place_kind::gpu_memory) continue;
      // A launch of few items is one piece of work; many items are spread over the workers.
      for (const coordinate n : {coordinate{64}, coordinate{10'000}}) {
        auto x = instance<float>::create(at(memory), {0, n}).made;
        std::vector<float> numbers(static_cast<std::size_t>(n));
        std::iota(numbers.begin(), numbers.end(), 0.0f);
        auto from = instance<float>::external(numbers.data(), {0, n});
        wait(copy(from, x));
        const std::string race = test::thrown_by([&] { wait(launch(launch_shifts_in_place, box(7, n - 1), x)); });
        CHECK(race.find(
                  "error K04: two items of kernel \"launch_shifts_in_place\" use x(8), and one of them writes it") ==
              0);
        CHECK(race.find("item        (7), uses it\n  item        (8), writes it") != std::string::npos);
        const std::string raw = test::thrown_by([&] { wait(launch(launch_reads_raw, in_groups({1, 4}, 16), x)); });
        CHECK(raw.find("error K05: a group of kernel \"launch_reads_raw\" reads tile(0)") == 0);
        const std::string out = test::thrown_by([&] { wait(launch(launch_adds_to_out, box(5, n), x)); });
        CHECK(out.find("error K06: kernel \"launch_adds_to_out\" reads x(5) of an out argument") == 0);
        // None of them wrote anything.
        std::vector<float> now(static_cast<std::size_t>(n));
        auto to = instance<float>::external(now.data(), {0, n});
        wait(copy(x, to));
        CHECK(now == numbers);
        from.destroy(), to.destroy(), x.destroy();
      }
    }
  });
}

TEST_CASE("during a trial run other launches may change the rest of an array") {
  const test::with_variable check("STRETTO_CHECK", "1");
  on_workers(4, [](place ram) {
    auto x = instance<float>::create(at(ram), {0, 64 * 64}).made;
    wait(fill(x, 0.0f));
    for (int i = 0; i < 64 * 64; ++i) x.view()(i) = static_cast<float>(i);
    std::vector<event> all;
    for (int turn = 0; turn < 16; ++turn)
      for (int g = 0; g < 64; ++g) {
        const std::size_t before = all.size() - 64;
        all.push_back(
            launch(after(turn ? all[before] : event()), launch_turns, in_groups({g, g + 1}, 64), x, local_size{64}));
      }
    for (event& e : all) wait(e);
    for (int i = 0; i < 64 * 64; ++i) CHECK(x.view()(i) == static_cast<float>(i / 64 * 64 + (i + 16) % 64));
    x.destroy();
  });
}

TEST_CASE("a range that is not of the kernel's kind is refused in the call") {
  on_workers(1, [](place ram) {
    auto x = instance<float>::create(at(ram), {0, 64}).made;
    auto n = instance<int>::create(at(ram), {0, 64}).made;
    CHECK(test::thrown_by([&] { launch(sum_of_group, box(0, 64), x, x, local_size{1}); }).find("error K24") == 0);
    CHECK(test::thrown_by([&] { launch(add_one, in_groups({0, 2}, 32), n); }).find("error K24") == 0);
    CHECK(test::thrown_by([&] { launch(sum_of_group, in_groups({0, 2}, 0), x, x, local_size{1}); }).find("error K25") ==
          0);
    wait(launch(add_one, box(3, 3), n));  // an empty range is valid
    x.destroy(), n.destroy();
  });
}

}  // namespace
}  // namespace stretto
