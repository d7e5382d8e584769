// Side effects: host tasks that change state outside of buffers, in one order on each node.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(set_all, (out<int> u, int to), { u(global_id(0)) = to; })

}  // namespace

TEST_CASE(
    "host tasks that affect one thing run one at a time and in order, those that use it in between, side by side") {
  test::on_nodes_with_devices([] {
    const side_effect log("log"), other("other");
    buffer<int> u(box(0, 8), {.name = "u"});
    std::vector<int> lines;  // without a lock
    std::atomic<int> in_it = 0;
    for (int i = 0; i < 20; ++i) {
      launch(set_all, u.elements(), u(one_to_one), i);
      host_task(
          affects(log), name("note"), on_each_node,
          [&, i](view<const int> u) {
            CHECK(++in_it == 1);
            yield();
            lines.push_back(i * 100 + u(7));
            --in_it;
          },
          u.in(all));
      host_task(stretto::uses(log), on_each_node, [&, i] { CHECK(lines.size() == static_cast<std::size_t>(i) + 1); });
      host_task(affects(other), on_each_node, [] {});
    }
    wait(host_task(affects(log, other), on_each_node, [] {}));  // the readers have ended, too
    REQUIRE(lines.size() == 20);
    for (int i = 0; i < 20; ++i) CHECK(lines[static_cast<std::size_t>(i)] == i * 101);
  });
}

TEST_CASE("pieces of a task that affects a side effect run one by one, and a later task behind all of them") {
  runtime rt({.workers = 2});
  rt.run([] {
    const side_effect log("log");
    std::vector<coordinate> firsts;
    host_task(affects(log), in_pieces{4}, box(0, 16), [&](const box& part) {
      yield();
      firsts.push_back(part.min()[0]);
    });
    wait(host_task(affects(log), on_one_node, [&] { CHECK(firsts == std::vector<coordinate>{0, 4, 8, 12}); }));
  });
}

// Regression: both have keys of two numbers, and the graphs confused them.
TEST_CASE("a task with two side effects is not taken for one that reads a buffer") {
  runtime rt({.workers = 2});
  rt.run([] {
    std::vector<side_effect> effects;
    for (int e = 0; e < 64; ++e) effects.emplace_back("one of many");
    const buffer<int> u(box(0, 8), std::vector<int>(8, 5).data());
    std::atomic<int> ran = 0;
    host_task(on_each_node, [&](view<const int> u) { ran += u(7) == 5; }, u.in(all));
    for (const side_effect& e : effects) {
      host_task(stretto::uses(effects[0], e), on_each_node, [&] { ++ran; });
      host_task(affects(effects[0], e), on_each_node, [&] { ++ran; });
      host_task(stretto::uses(effects[0]), affects(e), on_each_node, [&] { ++ran; });
    }
    wait(epoch());
    CHECK(ran == 1 + 3 * 64);
  });
}

TEST_CASE("a task behind a failed task that affected the same side effect does not run") {
  runtime rt({.workers = 2});
  rt.run([] {
    const side_effect log("log");
    const event failed = host_task(affects(log), on_one_node, [] { throw std::runtime_error("the disk is full"); });
    std::atomic<bool> ran = false;
    const event behind = host_task(affects(log), on_one_node, [&] { ran = true; });
    CHECK(test::thrown_by([&] { wait(behind); }).find("the disk is full") != std::string::npos);
    CHECK(test::thrown_by([&] { wait(failed); }).find("the disk is full") != std::string::npos);
    CHECK(!ran);
    wait(host_task(on_one_node, [] {}));
  });
}

TEST_CASE("an empty side effect, or one of another runtime, is refused") {
  side_effect kept;
  const auto told = [&] {
    runtime rt({.workers = 1});
    std::string text;
    rt.run([&] {
      text = test::thrown_by([&] { host_task(affects(kept), on_one_node, [] {}); });
      kept = side_effect("log");
      wait(host_task(affects(kept), on_one_node, [] {}));
    });
    return text;
  };
  CHECK(told().find("error B26: host_task was given a side effect that is empty") == 0);
  CHECK(told().find("error B26: host_task was given a side effect of another runtime") == 0);
}

}  // namespace stretto
