// Tags of launches and host tasks on buffers take effect, or are refused in the call.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "buffers/buffers_state.hpp"
#include "buffers/node_reports.hpp"
#include "buffers/nodes_with_devices.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(count_in_order, (out<int, 3> u, int n1, int n2), {
  u(global_id(0), global_id(1), global_id(2)) = (global_id(0) * n1 + global_id(1)) * n2 + global_id(2);
})
STRETTO_KERNEL(take_turned, (in<int, 3> u, out<int, 3> v),
               { v(global_id(0), global_id(1), global_id(2)) = u(global_id(1), global_id(2), global_id(0)); })
STRETTO_KERNEL(set_to_seven, (out<int> x), { x(global_id(0)) = 7; })

}  // namespace

TEST_CASE("a launch on a kind of device of which there is none is refused, and nothing has changed") {
  runtime rt({.workers = 1, .devices = "none"});
  rt.run([] {
    const buffer<int> x(box(0, 8));
    const buffers::buffers_state& s = *buffers::state_of(*base::current()->runtime);
    const std::uint64_t before = s.tasks.next();
    const std::string words =
        test::thrown_by([&] { launch(on(device_kind::gpu), set_to_seven, box(0, 8), x(one_to_one)); });
    INFO(words);
    CHECK(
        words.starts_with("error B28: launch \"set_to_seven\" requires a gpu, and this node has none\n  submitted  "
                          " range_hints_test.cpp:"));
    CHECK(s.tasks.next() == before);
    launch(on(device_kind::host), set_to_seven, box(0, 8), x(one_to_one));
    CHECK(x.read().get().view()(5) == 7);
  });
}

TEST_CASE("a launch on devices is computed by them") {
  runtime rt({.workers = 1, .devices = "sim:1(fail_launch=1)"});
  rt.run([] {
    const buffer<int> x(box(0, 8)), y(box(0, 8));
    launch(on(device_kind::host), set_to_seven, box(0, 8), x(one_to_one));
    CHECK(x.read().get().view()(5) == 7);
    launch(on(device_kind::gpu), set_to_seven, box(0, 8), y(one_to_one));
    CHECK(test::thrown_by([&] { y.read().get(); }) != "nothing was thrown");
  });
}

TEST_CASE(
    "a launch on some kinds is computed on each node by those of its devices that are of them, or by its host where it "
    "may") {
  const auto options_of = [](std::uint32_t node) {
    return runtime_options{.workers = 1, .devices = node == 0 ? "sim:2" : node == 1 ? "none" : "sim:1(fail_launch=1)"};
  };
  const auto filled = [](auto tag) {
    return [tag](runtime&) {
      const buffer<int> x(box(0, 30));
      launch(tag, set_to_seven, x.elements(), x(one_to_one));
      const auto seen = x.read().get();
      for (int i = 0; i < 30; ++i) REQUIRE(seen.view()(i) == 7);
    };
  };
  const auto run = [&](std::uint32_t nodes, auto tag) {
    return test::run_on_nodes(simulated_job({.nodes = nodes}), options_of, filled(tag));
  };
  // Two nodes: one has GPUs, the other only its host.
  for (const auto& [node, text] : run(2, on(device_kind::gpu, device_kind::host)).thrown)
    CHECK(text == "nothing was thrown");
  const test::node_reports refused = run(2, on(device_kind::gpu, device_kind::accelerator));
  CHECK(refused.thrown.at(1).starts_with(
      "error B28: launch \"set_to_seven\" requires a gpu or accelerator, and this node has none\n"));
  CHECK(refused.thrown.at(0).starts_with("error N17: the run of node 1 has ended with an error"));
  CHECK(refused.thrown.at(0).find("its error   B28: ") != std::string::npos);
  // The device of the third node fails each launch: a node uses its host only if it has no device of the kind.
  CHECK(run(3, on(device_kind::gpu, device_kind::host)).thrown.at(2) != "nothing was thrown");
  for (const auto& [node, text] : run(3, on(device_kind::cpu, device_kind::host)).thrown)
    CHECK(text == "nothing was thrown");
}

TEST_CASE("only devices of the driver that a launch names compute it") {
  for (const std::string& devices :
       test::usable_devices({"sim:1(fail_launch=1),opencl:1"}, "launches on some of several devices")) {
    const bool is_cuda = devices.find("cuda") != std::string::npos;
    const auto outcome_of = [&](auto... tag) {
      std::string text;
      runtime rt({.workers = 1, .devices = devices});
      rt.run([&] {
        const buffer<int> x(box(0, 300));
        launch(tag..., set_to_seven, x.elements(), x(one_to_one));
        text = test::thrown_by([&] {
          const auto seen = x.read().get();
          for (int i = 0; i < 300; ++i) REQUIRE(seen.view()(i) == 7);
        });
      });
      return text;
    };
    CAPTURE(devices);
    CHECK(outcome_of(on(driver(is_cuda ? "cuda" : "opencl"))) == "nothing was thrown");
    CHECK(outcome_of(on(driver("sim"))) != "nothing was thrown");
    CHECK(outcome_of() != "nothing was thrown");
    if (!is_cuda) CHECK(outcome_of(on(device_kind::cpu, device_kind::accelerator)) == "nothing was thrown");
    CHECK(outcome_of(on(device_kind::cpu, device_kind::gpu)) != "nothing was thrown");
  }
}

TEST_CASE("a host task on a place without workers is refused, and runs on one with workers") {
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    place not_served;
    for (const place p : rt.machine().places())
      if (std::string_view(rt.machine().name(p)).find("sim") != std::string_view::npos) not_served = p;
    REQUIRE(not_served);
    const buffers::buffers_state& s = *buffers::state_of(*base::current()->runtime);
    const std::uint64_t before = s.tasks.next();
    const std::string words = test::thrown_by([&] { host_task(at(not_served), on_one_node, [] {}); });
    CHECK_MESSAGE(words.starts_with("error S02: "), words);
    CHECK(test::thrown_by([&] { host_task(on(not_served), on_one_node, [] {}); }).starts_with("error S03: "));
    CHECK(s.tasks.next() == before);
    int has_run = 0;
    const place home = rt.machine().pop_path(0).front();
    wait(host_task(at(home), on_one_node, [&] { ++has_run; }));
    wait(host_task(on(home), on_one_node, [&] { ++has_run; }));
    wait(host_task(on(worker(0)), on_one_node, [&] { ++has_run; }));
    CHECK(has_run == 3);
  });
}

TEST_CASE("an array in three axes that are turned is used by its own, on all nodes and devices") {
  test::on_nodes_with_devices([] {
    constexpr int n0 = 6, n1 = 5, n2 = 4;
    const buffer<int, 3> u(box({0, 0, 0}, {n0, n1, n2})), v(box({0, 0, 0}, {n2, n0, n1}));
    launch(count_in_order, u.elements(), u(one_to_one), n1, n2);
    // Axis 0 of u is axis 1 of the range, axis 1 its axis 2, axis 2 its axis 0.
    launch(take_turned, v.elements(), u(transposed_by(1, 2, 0)), v(one_to_one));
    const auto seen = v.read().get();
    int wrong = 0;
    for (int i = 0; i < n2; ++i)
      for (int j = 0; j < n0; ++j)
        for (int k = 0; k < n1; ++k) wrong += seen.view()(i, j, k) != (j * n1 + k) * n2 + i;
    CHECK(wrong == 0);
  });
}

}  // namespace stretto
