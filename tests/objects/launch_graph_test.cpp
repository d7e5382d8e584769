// Graphs of launches: described once, submitted as a whole several times, with explicit order beyond that of arguments.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/launch_graph.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"

namespace stretto {
namespace {

// clang-format off
STRETTO_KERNEL(graph_add, (inout<int> x, int by), { x(global_id(0)) += by; })
STRETTO_KERNEL(graph_copy, (in<int> x, out<int> y), { y(global_id(0)) = x(global_id(0)); })
STRETTO_KERNEL(graph_mark, (out<int> x, int number), { x(global_id(0)) = number; })
// clang-format on

const std::vector<std::string>& graph_devices() {
  static const std::vector<std::string> all =
      test::usable_devices({"none", "sim", "sim:3", "opencl:1,sim:1"}, "objects");
  return all;
}

TEST_CASE("a graph does what its launches do one after the other, each time that it is submitted") {
  for (const std::string& kind : graph_devices()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      const std::vector<int> ones(100, 1);
      object<int> x(box(0, 100), ones.data()), y(box(0, 100));
      launch_graph g;
      int by = 2;
      const launched first = g.launch(graph_add, x.elements(), x, by);
      by = 1000;  // values were copied when the launch was described
      g.launch(name("copies"), graph_copy, x.elements(), x, y);
      g.launch(after(first), priority(3), graph_add, box(0, 50), y(box(0, 50)), 1);
      g.launch(graph_add, x.elements(), x(one_to_one), 1);
      CHECK(g.size() == 4);
      CHECK(x.read().get().view()(0) == 1);
      for (int times = 0; times < 10; ++times) g.submit();
      CHECK(x.read().get().view()(99) == 31);
      CHECK(y.read().get().view()(0) == 31);
      CHECK(y.read().get().view()(99) == 30);
      launch_graph moved = std::move(g);
      wait(moved.submit());
      CHECK(x.read().get().view()(5) == 34);
      CHECK(launch_graph().submit().has_triggered());
    });
  }
}

/// Kernels that record when they ran; on devices as on the host.
std::mutex order_mutex;
std::vector<int> order;
void note(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments) {
  if (std::hash<std::thread::id>()(std::this_thread::get_id()) % 3 == 0) std::this_thread::yield();
  {
    const std::scoped_lock lock(order_mutex);
    order.push_back(*reinterpret_cast<const int*>(arguments[1].origin));
  }
  graph_mark.code().run(code, work, arguments);
}

TEST_CASE("after() orders launches that share nothing, over random graphs") {
  for (const std::string& kind : {std::string("none"), std::string("sim:2")})
    for (unsigned seed = 0; seed < test::scaled(20u, 2000u); ++seed) {
      INFO(kind << ", seed " << seed);
      std::mt19937 draw(seed);
      constexpr int n = 40;
      kernel_code code = graph_mark.code();
      code.run = code.run_checked = note;
      code.run_dense = code.run_wide = nullptr;
      const std::decay_t<decltype(graph_mark)> mark(code);
      std::vector<std::pair<int, int>> edges;
      order.clear();
      runtime rt({.workers = 1 + seed % 3, .devices = kind});
      rt.run([&] {
        std::vector<object<int>> all;
        std::vector<launched> nodes;
        launch_graph g;
        for (int i = 0; i < n; ++i) {
          all.emplace_back(box(0, 4));
          std::vector<launched> behind;
          for (unsigned k = 0; i > 0 && k < draw() % 4; ++k) {
            const int from = static_cast<int>(draw() % static_cast<unsigned>(i));
            behind.push_back(nodes[static_cast<std::size_t>(from)]);
            edges.emplace_back(from, i);
          }
          nodes.push_back(g.launch(after(std::span<const launched>(behind)), mark, box(0, 4), all.back(), i));
        }
        wait(g.submit());
      });
      REQUIRE(order.size() == n);
      std::vector<std::ptrdiff_t> when(n);
      for (int i = 0; i < n; ++i) when[static_cast<std::size_t>(i)] = std::ranges::find(order, i) - order.begin();
      int wrong = 0;
      for (const auto& [from, to] : edges)
        wrong += when[static_cast<std::size_t>(from)] > when[static_cast<std::size_t>(to)];
      CHECK(wrong == 0);
    }
}

TEST_CASE("a failed launch fails those with after() on it, and no others") {
  for (const std::string& kind : graph_devices()) {
    INFO(kind);
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      object<int> a(box(0, 4)), b(box(0, 4)), c(box(0, 4));
      const user_event asked = user_event::create();
      launch_graph g;
      const launched first = g.launch(after(asked), graph_mark, box(0, 4), a, 1);
      g.launch(after(first), graph_mark, box(0, 4), b, 2);
      g.launch(graph_mark, box(0, 4), c, 3);
      finish([&] {
        const event all = g.submit();
        asked.poison(std::make_exception_ptr(std::runtime_error("no")));
        CHECK(test::thrown_by([&] { wait(all); }).find("no") != std::string::npos);
      });
      CHECK(c.read().get().view()(0) == 3);
      CHECK(test::thrown_by([&] { b.read().get(); }).find("no") != std::string::npos);
    });
  }
}

TEST_CASE("a graph that cannot be submitted submits nothing") {
  runtime rt({.workers = 1});
  rt.run([] {
    object<int> x(box(0, 4)), none;
    launch_graph g, other;
    const launched there = other.launch(graph_mark, box(0, 4), x, 1);
    CHECK(test::error_of([&] { g.launch(after(there), graph_mark, box(0, 4), x, 2); }).code() == "A08");
    g.launch(graph_mark, box(0, 4), x, 3);
    g.launch(graph_mark, box(0, 4), none, 4);
    CHECK(test::error_of([&] { g.submit(); }).code() == "A02");
    CHECK(test::error_of([&] { x.read().get(); }).code() == "E10");  // nothing wrote it
  });
}

}  // namespace
}  // namespace stretto
