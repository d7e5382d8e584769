// Data that the program keeps: snapshots, which delay nothing; views, which delay writers only; values of side effects,
// barriers.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "buffers/buffers_state.hpp"
#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(snapshot_raise, (inout<int> x), { x(global_id(0)) += 1; })
STRETTO_KERNEL(snapshot_raise_plane, (inout<int, 3> x), { x(global_id(0), global_id(1), global_id(2)) += 1000; })

/// Its alignment exceeds that of the heap.
struct alignas(64) wide_element {
  int number;
};

}  // namespace

TEST_CASE("a snapshot stays as it was, and launches that write do not wait for it") {
  test::on_nodes_with_devices([] {
    const buffer<int> x(box(0, 8), [](coordinate i) { return static_cast<int>(i); });
    const array_copy<int> before = x.read_copy().get();
    for (int i = 0; i < 100; ++i) launch(snapshot_raise, x.elements(), x(one_to_one));
    const array_copy<int> after = x.read_copy(box(2, 6)).get();
    CHECK(before.elements() == box(0, 8));
    CHECK(after.size() == 4);
    for (int i = 2; i < 6; ++i) {
      CHECK(before(i) == i);
      CHECK(after.view()(i) == i + 100);
    }
    CHECK(after.data()[0] == 102);
  });
}

TEST_CASE("a snapshot of a part of an array of three axes is dense") {
  test::on_nodes_with_devices([] {
    const buffer<int, 3> x({{0, 0, 0}, {4, 5, 6}}, [](coordinate i, coordinate j, coordinate k) {
      return static_cast<int>(100 * i + 10 * j + k);
    });
    launch(snapshot_raise_plane, x.elements(), x(one_to_one));
    for (const box& part :
         {box({1, 2, 3}, {4, 4, 6}), box({0, 0, 0}, {4, 5, 6}), box({2, 0, 4}, {3, 5, 5}), box({0, 4, 5}, {4, 5, 6})}) {
      const auto copy = x.read_copy(part).get();
      std::size_t n = 0;
      for (auto i = part.min()[0]; i < part.max()[0]; ++i)
        for (auto j = part.min()[1]; j < part.max()[1]; ++j)
          for (auto k = part.min()[2]; k < part.max()[2]; ++k) {
            CHECK(copy(i, j, k) == 1000 + 100 * i + 10 * j + k);
            CHECK(copy.data()[n++] == 1000 + 100 * i + 10 * j + k);
          }
      CHECK(n == copy.size());
    }
  });
}

TEST_CASE("a snapshot is the program's own: moved, changed, aligned, and there when the runtime has gone") {
  array_copy<wide_element> kept;
  CHECK(kept.size() == 0);
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      const buffer<wide_element> x(box(0, 4), [](coordinate i) { return wide_element{static_cast<int>(i)}; });
      auto copy = x.read_copy().get();
      copy(1).number = 7;
      CHECK(x.read().get().view()(1).number == 1);
      kept = std::move(copy);
      CHECK(copy.size() == 0);
    });
  }
  CHECK(kept(1).number == 7);
  CHECK(reinterpret_cast<std::uintptr_t>(kept.data()) % 64 == 0);
  static_assert(!std::is_copy_constructible_v<array_copy<int>>);
}

TEST_CASE("a snapshot fails with what was to write its elements") {
  runtime rt({.workers = 1});
  rt.run([] {
    const buffer<int> x(box(0, 8));
    host_task(x.elements(), [](view<int>) { throw std::runtime_error("no such file"); }, x.out(one_to_one));
    CHECK(test::thrown_by([&] { x.read_copy().get(); }).find("no such file") != std::string::npos);
  });
}

TEST_CASE(
    "a view that is kept of a buffer that nobody writes holds up neither launches nor epochs, however many follow") {
  test::on_nodes_with_devices([] {
    const buffer<int> constant(box(0, 8), [](coordinate i) { return static_cast<int>(i); }),
        x(box(0, 8), [](coordinate) { return 0; });
    const auto kept = constant.read().get();
    for (int i = 0; i < 200; ++i) {
      launch(snapshot_raise, x.elements(), x(one_to_one));
      if (i % 50 == 0) wait(epoch());
    }
    CHECK(x.read().get().view()(3) == 200);
    CHECK(kept.view()(3) == 3);
  });
}

TEST_CASE("a writer of elements in a kept view waits for the view, however many horizons lie between") {
  test::on_nodes_with_devices([] {
    const buffer<int> x(box(0, 8), [](coordinate i) { return static_cast<int>(i); }),
        y(box(0, 8), [](coordinate) { return 0; });
    auto kept = x.read().get();
    for (int i = 0; i < 100; ++i) launch(snapshot_raise, y.elements(), y(one_to_one));
    wait(epoch());
    const event raised = host_task(on_each_node, [] {});
    host_task(
        x.elements(),
        [](const box& part, view<int> x) {
          for (auto i = part.min()[0]; i < part.max()[0]; ++i) x(i) += 10;
        },
        x.inout(one_to_one));
    launch(snapshot_raise, y.elements(), y(one_to_one));
    CHECK(y.read().get().view()(0) == 101);
    wait(raised);
    for (int i = 0; i < 8; ++i) CHECK(kept.view()(i) == i);
    kept.release();
    CHECK(x.read().get().view()(5) == 15);
  });
}

TEST_CASE("views that have gone are forgotten") {
  runtime rt({.workers = 1, .devices = "none"});
  rt.run([] {
    const buffer<int> x(box(0, 8), [](coordinate i) { return static_cast<int>(i); });
    for (int i = 0; i < 100; ++i) {
      x.read().get();
      launch(snapshot_raise, x.elements(), x(one_to_one));
    }
    wait(epoch());
    CHECK(buffers::state_of(*base::current()->runtime)->executor.views() <= 1);
  });
}

TEST_CASE("a read of no elements gives none, of buffers and objects, on every node") {
  test::on_nodes_with_devices([] {
    const buffer<int, 2> x({{0, 0}, {8, 8}}, {.name = "x"});  // never written
    CHECK(x.read(box()).get().view().size() == 0);
    CHECK(x.read(intersection(box({0, 0}, {2, 2}), box({4, 4}, {6, 6}))).get().view().size() == 0);
    CHECK(x.read_copy(box()).get().size() == 0);
    CHECK(buffer<int>(box()).read().get().view().size() == 0);
    CHECK(test::thrown_by([&] { (void)x.read(box({0, 0}, {9, 8})); }).starts_with("error B08: "));
    const object<int, 2> u(box({0, 0}, {8, 8}));
    CHECK(u.read(box()).get().view().size() == 0);
    CHECK(u.read_copy(box()).get().size() == 0);
  });
}

TEST_CASE("a snapshot of an object stays as it was") {
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([] {
    const std::vector<int> zeros(8, 0);
    const object<int> x(box(0, 8), zeros.data());
    const auto before = x.read_copy().get();
    for (int i = 0; i < 3; ++i) launch(snapshot_raise, x.elements(), x(one_to_one));
    const auto after = x.read_copy(box(4, 8)).get();
    CHECK(before(5) == 0);
    CHECK(after(5) == 3);
    CHECK(after.elements() == box(4, 8));
  });
}

TEST_CASE("a fence returns the value of a side effect after all earlier tasks that affect it and before later ones") {
  test::on_nodes_with_devices([] {
    const side_effect counter("counter");
    int count = 0;
    for (int i = 0; i < 10; ++i) host_task(affects(counter), on_each_node, [&] { yield(), ++count; });
    const future<int> ten = fence(counter, [&] { return count; });
    for (int i = 0; i < 10; ++i) host_task(affects(counter), on_each_node, [&] { yield(), ++count; });
    const auto twenty = fence(counter, [&] { return std::vector<int>(3, count); });
    CHECK(ten.get() == 10);
    CHECK(twenty.get() == std::vector<int>{20, 20, 20});
  });
}

TEST_CASE("a fence fails with what affects the side effect, and in a dry run has no value") {
  runtime rt({.workers = 1});
  rt.run([] {
    const side_effect file("file");
    host_task(affects(file), on_each_node, [] { throw std::runtime_error("the disk is full"); });
    CHECK(test::thrown_by([&] { fence(file, [] { return 1; }).get(); }).find("the disk is full") != std::string::npos);
  });
  const test::with_variable nodes("STRETTO_DRY_NODES", "2");
  runtime dry({.workers = 1});
  dry.run([] {
    const side_effect file("file");
    CHECK(test::thrown_by([&] { fence(file, [] { return 1; }).get(); }).find("error B09: ") != std::string::npos);
    wait(epoch(all_nodes));
  });
}

TEST_CASE("an epoch of all nodes has passed when every node has done all that was asked before") {
  for (const std::uint32_t nodes : {1u, 2u, 5u}) {
    std::atomic<int> done = 0;
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1}, [&](runtime&) {
      for (int round = 1; round <= 3; ++round) {
        host_task(on_each_node, [&] {
          for (std::uint32_t n = 0; n < 20 * this_node(); ++n) yield();
          ++done;
        });
        wait(epoch(all_nodes));
        CHECK(done >= round * static_cast<int>(nodes));
        wait(epoch(all_nodes));
      }
    });
    CHECK(done == 3 * static_cast<int>(nodes));
  }
}

}  // namespace stretto
