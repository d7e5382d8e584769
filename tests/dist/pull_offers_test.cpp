// Elements in device memory that a device of the receiving node copies itself: data, layouts, refusals, failures.
#include <stretto/buffer.hpp>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/data_state.hpp"
#include "data/imported_memories.hpp"
#include "data/staging_buffer.hpp"
#include "dist/numbered_grid.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto::offered_elements {
namespace {

using test::on_all_nodes;
using test::thrown_by;
using test::write_grid;
using test::wrong_in;
using grid = instance<double, 2>;

place device_here(std::uint32_t n = 0) { return this_machine().places(place_kind::gpu_memory)[n]; }

std::uint64_t copies_here() {
  const auto& imported = data::state_of(*base::current()).imported;
  return imported ? imported->copies.load() : 0;
}
std::uint64_t copies_on(std::uint32_t node) { return async(at_node(node), call<&copies_here>()).get(); }

STRETTO_KERNEL(count_up, (out<int> x), { x(global_id(0)) = global_id(0); })
STRETTO_KERNEL(add_four, (inout<int> x), { x(global_id(0)) += 4; })
STRETTO_KERNEL(add_neighbours, (in<int> x, out<int> y, int n), {
  int i = global_id(0);
  y(i) = x((i + n - 1) % n) + x((i + 1) % n);
})

TEST_CASE("the receiving device copies elements from another node's device itself, for any layout and any requester") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1(exports)");
  for (const std::uint64_t seed : {1u, 2u, 3u})
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = 1e-5}, 2, [](runtime&) {
      if (this_node() != 0) return;
      const std::vector<std::int64_t> gaps{70, 2};
      const instance_options strided{.strides = gaps}, fortran{.order = axis_order::fortran};
      std::uint64_t expected = 0;
      for (const std::uint32_t from : {1u, 0u})
        for (const std::uint32_t to : {2u, 0u}) {
          if (from == to) continue;
          for (const instance_options& from_layout : {instance_options{}, strided, fortran})
            for (const instance_options& to_layout : {instance_options{}, strided, fortran}) {
              const grid a = grid::create(at_node(from), at(device_here()), {{0, 0}, {20, 30}}, from_layout).made;
              const grid b = grid::create(at_node(to), at(device_here()), {{5, 5}, {40, 40}}, to_layout).made;
              const event written =
                  async(at_node(from), after(a.ready()), call<&write_grid<double>>(a, box{{0, 0}, {20, 30}}));
              const std::uint64_t before = copies_on(to);
              const box part{{6, 7}, {20, 30}};
              const event copied = copy(a, b, part, after(written, fill(b, -1.0)));
              CHECK(async(at_node(to), after(copied), call<&wrong_in<double>>(b, part, point(0, 0))).get() == 0);
              const event moved = copy(a, box{{0, 0}, {3, 4}}, b, point(30, 31), after(copied));
              CHECK(
                  async(at_node(to), after(moved), call<&wrong_in<double>>(b, box{{30, 31}, {33, 35}}, point(-30, -31)))
                      .get() == 0);
              const std::vector<box> parts{
                  {{5, 5}, {7, 9}}, {{8, 20}, {8, 21}}, {{8, 20}, {20, 21}}, {{10, 5}, {11, 6}}};
              const event several = copy(a, b, parts, after(fill(b, 0.0, after(moved))));
              for (const box& p : parts)
                CHECK(async(at_node(to), after(several), call<&wrong_in<double>>(b, p, point(0, 0))).get() == 0);
              wait(copy(a, b, box{}, after(several)));  // no elements: nothing is offered
              CHECK(copies_on(to) == before + 3);
              ++expected;
              wait(merge(a.destroy(), b.destroy()));
            }
        }
      CHECK(expected == 27);
    });
}

TEST_CASE(
    "a device also copies to host memory, and through it to another device; other targets on the host get pieces") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:2(exports)");
  on_all_nodes({.nodes = 2, .seed = 5}, 2, [](runtime&) {
    if (this_node() != 0) return;
    const box all{{0, 0}, {60, 50}};
    const grid a = grid::create(at(device_here(1)), all).made, host = grid::create(at_node(1), all).made;
    const grid first = grid::create(at_node(1), at(device_here(0)), all).made,
               second = grid::create(at_node(1), at(device_here(1)), all).made;
    write_grid(a, all);
    for (const grid& to : {host, first, second, host}) wait(copy(a, to));
    for (const grid& g : {host, first, second})
      CHECK(async(at_node(1), call<&wrong_in<double>>(g, all, point(0, 0))).get() == 0);
    CHECK(copies_on(1) == 4);
    wait(copy(host, a));  // the target is in no device's memory
    CHECK(wrong_in(a, all, point(0, 0)) == 0);
    CHECK(copies_here() == 0);
    for (const grid& g : {a, host, first, second}) wait(g.destroy());
  });
}

TEST_CASE("elements that a node's devices cannot access are sent in pieces, and not offered again") {
  // The second node has no device; or one that imports nothing; or checks accesses.
  for (const char* theirs : {"none", "sim:1"}) {
    const simulated_job job({.nodes = 2, .seed = 6});
    std::vector<std::thread> nodes;
    for (std::uint32_t n = 0; n < 2; ++n)
      nodes.emplace_back([&, n] {
        runtime rt({.workers = 1, .devices = n == 0 ? "sim:1(exports)" : theirs, .job = job.endpoint(n)});
        rt.run([&] {
          if (n != 0) return;
          const box all{{0, 0}, {300, 400}};  // several pieces
          const grid a = grid::create(at(device_here()), all).made;
          const bool has_device = std::string(theirs) != "none";
          const grid b =
              has_device ? grid::create(at_node(1), at(device_here()), all).made : grid::create(at_node(1), all).made;
          write_grid(a, all);
          for (int i = 0; i < 3; ++i) {
            wait(fill(b, 0.0));
            wait(copy(a, b));
            CHECK(async(at_node(1), call<&wrong_in<double>>(b, all, point(0, 0))).get() == 0);
          }
          CHECK(copies_on(1) == 0);
          wait(merge(a.destroy(), b.destroy()));
        });
      });
    for (std::thread& t : nodes) t.join();
  }
  for (const auto& [variable, value] : {std::pair("STRETTO_CHECK", "1"), std::pair("STRETTO_DEVICE_MESSAGES", "0")}) {
    const test::with_variable devices("STRETTO_DEVICES", "sim:1(exports)"), option(variable, value);
    on_all_nodes({.nodes = 2, .seed = 7}, 1, [](runtime&) {
      if (this_node() != 0) return;
      const box all{{0, 0}, {30, 40}};
      const grid a = grid::create(at(device_here()), all).made,
                 b = grid::create(at_node(1), at(device_here()), all).made;
      write_grid(a, all);
      wait(copy(a, b));
      CHECK(async(at_node(1), call<&wrong_in<double>>(b, all, point(0, 0))).get() == 0);
      CHECK(copies_on(1) == 0);
      wait(merge(a.destroy(), b.destroy()));
    });
  }
}

TEST_CASE("of two devices of a node, one imports the elements, and the other is sent pieces") {
  const simulated_job job({.nodes = 2, .seed = 8});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < 2; ++n)
    nodes.emplace_back([&, n] {
      runtime rt({.workers = 1, .devices = n == 0 ? "sim:2(exports)" : "sim:1,sim:1(exports)", .job = job.endpoint(n)});
      rt.run([&] {
        if (n != 0) return;
        const box all{{0, 0}, {30, 40}};
        const grid a = grid::create(at(device_here()), all).made;
        write_grid(a, all);
        for (int round = 0; round < 2; ++round)
          for (const std::uint32_t device : {0u, 1u}) {
            const std::uint64_t before = copies_on(1);
            const grid b = grid::create(at_node(1), at(device_here(device)), all).made;
            wait(copy(a, b));
            CHECK(async(at_node(1), call<&wrong_in<double>>(b, all, point(0, 0))).get() == 0);
            CHECK(copies_on(1) == before + device);
            wait(b.destroy());
          }
        wait(a.destroy());
      });
    });
  for (std::thread& t : nodes) t.join();
}

TEST_CASE("errors of offered elements are reported like those of sent elements") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1(exports)");
  on_all_nodes({.nodes = 2, .seed = 9}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const box all{{0, 0}, {30, 40}};
    const grid a = grid::create(at(device_here()), all).made,
               b = grid::create(at_node(1), at(device_here()), {{0, 0}, {30, 20}}).made;
    write_grid(a, all);
    CHECK(thrown_by([&] { wait(copy(a, b)); }).find("D06") != std::string::npos);
    CHECK(thrown_by([&] { wait(copy(a, b, box{{0, 0}, {3, 30}})); }).find("D06") != std::string::npos);
    // The target is destroyed before the elements arrive, or created late.
    const auto begun = user_event::create();
    const event poisoned = copy(a, b, box{{0, 0}, {3, 3}}, after(begun));
    begun.poison(std::make_exception_ptr(std::runtime_error("no wind today")));
    CHECK(thrown_by([&] { wait(poisoned); }).find("no wind today") != std::string::npos);
    const auto made = user_event::create();
    const grid late = grid::create(at_node(1), at(device_here()), all, {}, after(made)).made;
    const event copied = copy(a, late);
    CHECK_FALSE(copied.has_triggered());
    made.trigger();
    CHECK(async(at_node(1), after(copied), call<&wrong_in<double>>(late, all, point(0, 0))).get() == 0);
    const auto never = user_event::create();
    const grid not_made = grid::create(at_node(1), at(device_here()), all, {}, after(never)).made;
    const event failed = copy(a, not_made);
    never.poison(std::make_exception_ptr(std::runtime_error("no wood")));
    CHECK(thrown_by([&] { wait(failed); }).find("no wood") != std::string::npos);
    wait(b.destroy());
    CHECK(thrown_by([&] { wait(copy(a, b, box{{0, 0}, {3, 3}})); }).find("D01") != std::string::npos);
    for (const grid& g : {a, late, not_made}) g.destroy();
  });
}

TEST_CASE("elements of a device that has been lost are not copied from there, though others have its memory open") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1(exports,lose=1)");
  on_all_nodes({.nodes = 2, .seed = 10}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const box all{{0, 0}, {30, 40}};
    const grid a = grid::create(at(device_here()), all).made, b = grid::create(at_node(1), at(device_here()), all).made;
    const auto x = instance<int>::create(at(device_here()), box(0, 10)).made;
    write_grid(a, all);
    wait(copy(a, b));
    CHECK(copies_on(1) == 1);
    CHECK(thrown_by([&] { wait(launch(count_up, box(0, 10), x)); }).find("K31") != std::string::npos);
    CHECK(thrown_by([&] { wait(copy(a, b)); }).find("K31") != std::string::npos);
    CHECK(async(at_node(1), call<&wrong_in<double>>(b, all, point(0, 0))).get() == 0);  // unchanged
    for (const grid& g : {a, b}) g.destroy();
    x.destroy();
  });
}

TEST_CASE("data of buffers and objects is copied between nodes by devices, too, and is correct") {
  const test::with_variable devices("STRETTO_DEVICES", "sim:1(exports)");
  for (const std::uint64_t seed : {1u, 2u, 3u})
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = 1e-5}, 2, [](runtime&) {
      constexpr int n = 5000;
      const buffer<int> x(box(0, n)), y(box(0, n));
      launch(count_up, x.elements(), x(one_to_one));
      for (int step = 0; step < 4; ++step) {
        launch(on(device_kind::gpu), add_neighbours, x.elements(), x(all), y(one_to_one), n);
        launch(on(device_kind::gpu), add_neighbours, x.elements(), y(all), x(one_to_one), n);
      }
      const auto seen = x.read().get();
      std::vector<int> expected(n), other(n);
      for (int i = 0; i < n; ++i) expected[std::size_t(i)] = i;
      for (int step = 0; step < 8; ++step) {
        for (int i = 0; i < n; ++i)
          other[std::size_t(i)] = expected[std::size_t((i + n - 1) % n)] + expected[std::size_t((i + 1) % n)];
        expected.swap(other);
      }
      int wrong = 0;
      for (int i = 0; i < n; ++i) wrong += seen.view()(i) != expected[std::size_t(i)];
      CHECK(wrong == 0);
      CHECK(copies_here() > 0);
    });
  on_all_nodes({.nodes = 2, .seed = 4}, 2, [](runtime&) {
    if (this_node() != 0) return;
    constexpr int n = 100'000;
    const object<int> o(box(0, n));
    launch(on(device_kind::gpu), count_up, o.elements(), o);
    const auto there = async(at_node(1), call(
                                             [](object<int> came) {
                                               launch(on(device_kind::gpu), add_four, came.elements(), came);
                                               return came;
                                             },
                                             o));
    const object<int> back = there.get();
    launch(on(device_kind::gpu), add_four, back.elements(), back);
    const auto seen = back.read().get();
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += seen.view()(i) != i + 8;
    CHECK(wrong == 0);
    CHECK(copies_on(1) == 1);
    CHECK(copies_here() == 1);
  });
}

TEST_CASE("a copy of offered elements ends when the source node dies, and when the target node dies") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const simulated_job job({.nodes = 3, .seed = seed});
    std::vector<std::unique_ptr<runtime>> all;
    for (std::uint32_t n = 0; n < 3; ++n)
      all.push_back(std::make_unique<runtime>(runtime_options{
          .workers = 1, .seed = seed, .devices = "sim:1(exports)", .stepped = true, .job = job.endpoint(n)}));
    std::mt19937_64 random(seed);
    const auto until = [&](auto&& is_so) {
      for (int i = 0; !is_so(); ++i) {
        REQUIRE(i < 1'000'000);
        all[random() % 3]->step();
      }
    };
    std::vector<event> copied;
    {
      const attached_thread on(*all[0]);
      for (int i = 0; i < 6; ++i) {
        const box whole{{0, 0}, {100, 90}};
        const grid a = grid::create(at_node(1), at(device_here()), whole).made,
                   b = grid::create(at_node(2), at(device_here()), whole).made;
        copied.push_back(copy(a, b, after(fill(a, 1.0), fill(b, 2.0))));
      }
    }
    for (std::uint64_t steps = random() % 3000; steps-- > 0;) all[random() % 3]->step();
    job.kill(1 + seed % 2);
    until([&] {
      const attached_thread on(*all[0]);
      return std::ranges::all_of(copied, [](event e) { return e.has_triggered(); });
    });
    {
      const attached_thread on(*all[0]);
      for (const event e : copied) static_cast<void>(e.result());
    }
    for (auto& rt : all) rt->leave();
    until([&] { return std::ranges::all_of(all, [](const auto& rt) { return rt->is_job_over(); }); });
    all.clear();
  }
}

}  // namespace
}  // namespace stretto::offered_elements
