// Programs on buffers whose run fails on one node, for any reason: all nodes end and report the node and the cause.
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

#include "buffers/node_reports.hpp"
#include "buffers/stencil_on_nodes.hpp"
#include "campaign.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::node_reports;
using test::run_on_nodes;
using test::stencil_begin;
using test::stencil_on_nodes;
using test::stencil_step;
using test::with_variable;

constexpr int elements = 60;

/// Steps of a stencil with other operations; `before(i)` runs before each step, and all nodes read at the end.
void go_on(int steps, const std::function<void(int)>& before) {
  stencil_on_nodes program(elements);
  for (int i = 0; i < steps; ++i) {
    before(i);
    program.step();
    if (i % 5 == 1) program.add_up();
    if (i % 7 == 3) program.look();
    if (i % 4 == 2) program.read_sum();
  }
  before(steps);
  program.step();
  program.read_all();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// The failing node throws its own error, and all others name it; no message is left for the end.
void check_all_fail_with(const node_reports& told, std::uint32_t odd, const std::string& own) {
  INFO(told.written);
  CHECK(told.written == "");
  for (const auto& [node, text] : told.thrown) {
    CAPTURE(node);
    INFO(text);
    CHECK(has(text, own));
    CHECK(text.starts_with("error N17: the run of node " + std::to_string(odd) + " has ended with an error") ==
          (node != odd));
  }
}

}  // namespace

TEST_CASE("a program that throws on one node between its launches ends on all nodes, which report that exception") {
  for (const char* compares : {"1", "0"}) {
    const with_variable option("STRETTO_COMPARE_NODES", compares);
    for (std::uint32_t seed = 0; seed < test::scaled(30u, 1500u); ++seed) {
      std::mt19937 random(seed);
      const std::uint32_t nodes = 2 + seed % 4, odd = random() % nodes, workers = 1 + seed % 2;
      const int steps = 1 + static_cast<int>(random() % 20),
                at = static_cast<int>(random() % static_cast<std::uint32_t>(steps + 1));
      CAPTURE(compares);
      CAPTURE(seed);
      check_all_fail_with(run_on_nodes(simulated_job({.nodes = nodes, .seed = seed}),
                                       {.workers = workers, .devices = seed % 3 ? "none" : "sim:2"},
                                       [&](runtime& rt) {
                                         go_on(steps, [&](int i) {
                                           if (i == at && rt.node() == odd) throw std::runtime_error("no paper");
                                         });
                                       }),
                          odd, "no paper");
    }
  }
}

TEST_CASE("a program that throws on one node before it has asked anything of buffers ends on all") {
  check_all_fail_with(run_on_nodes(simulated_job({.nodes = 3}), {.workers = 1, .devices = "none"},
                                   [&](runtime& rt) {
                                     if (rt.node() == 2) throw std::runtime_error("no input");
                                     go_on(4, [](int) {});
                                   }),
                      2, "no input");
}

TEST_CASE("a launch that cannot be made on one node alone, for want of memory, ends all with its cause and line") {
  const auto options_of = [](std::uint32_t node) {
    return runtime_options{.workers = 1, .devices = node == 1 ? "sim:1(memory=64k)" : "sim:1"};
  };
  const node_reports told = run_on_nodes(simulated_job({.nodes = 2}), options_of, [](runtime&) {
    const buffer<int> u(box(0, 100000)), v(box(0, 100000));
    launch(stencil_begin, box(0, 100000), u(one_to_one));
    launch(stencil_step, box(0, 100000), u(all), v(one_to_one), 100000);
    v.read().get();
  });
  INFO(told.thrown.at(0));
  CHECK(told.thrown.at(1).starts_with("error B24: "));
  CHECK(told.thrown.at(0).starts_with("error N17: the run of node 1 has ended with an error"));
  CHECK(has(told.thrown.at(0), "its error   B24: "));
  CHECK(has(told.thrown.at(0), "submitted   peer_failure_test.cpp:"));
  CHECK(told.written == "");
}

TEST_CASE("a task that fails on one node, which alone waits for it, ends all") {
  check_all_fail_with(run_on_nodes(simulated_job({.nodes = 3}), {.workers = 2, .devices = "none"},
                                   [](runtime& rt) {
                                     const std::uint32_t self = rt.node();
                                     const event done = host_task(on_each_node, [self] {
                                       if (self == 1) throw std::runtime_error("no ink");
                                     });
                                     wait(done);
                                     go_on(6, [](int) {});
                                   }),
                      1, "no ink");
}

TEST_CASE("each node throws its own error if all fail alike") {
  for (std::uint32_t seed = 0; seed < test::scaled(20u, 500u); ++seed) {
    const std::uint32_t nodes = 2 + seed % 3;
    const node_reports told =
        run_on_nodes(simulated_job({.nodes = nodes, .seed = seed}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
          go_on(9, [&](int i) {
            if (i == 7) throw std::runtime_error("out of node " + std::to_string(rt.node()));
          });
        });
    CAPTURE(seed);
    CHECK(told.written == "");
    for (const auto& [node, text] : told.thrown) CHECK(text == "out of node " + std::to_string(node));
  }
}

TEST_CASE(
    "a node that lacks nothing of a failed run says nothing; one that does says so at its end, if its run has ended") {
  const node_reports content =
      run_on_nodes(simulated_job({.nodes = 2}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
        go_on(5, [](int) {});
        if (rt.node() == 1) throw std::runtime_error("too late");
      });
  CHECK(content.thrown.at(0) == "nothing was thrown");
  CHECK(content.thrown.at(1) == "too late");
  CHECK(content.written == "");

  const node_reports lacks =
      run_on_nodes(simulated_job({.nodes = 2}), {.workers = 1, .devices = "none"}, [](runtime& rt) {
        const buffer<int> u(box(0, elements)), v(box(0, elements));
        launch(stencil_begin, box(0, elements), u(one_to_one));
        if (rt.node() == 1) throw std::runtime_error("too early");
        launch(stencil_step, box(0, elements), u(neighborhood(1)), v(one_to_one), elements);
      });
  CHECK(lacks.thrown.at(1) == "too early");
  const std::string others = lacks.thrown.at(0) + lacks.written;  // its run may have ended before the failure was known
  INFO(others);
  const std::size_t at = others.find("error N17: the run of node 1 has ended with an error");
  REQUIRE(at != others.npos);
  CHECK(others.find("error N17", at + 1) == others.npos);
  CHECK(has(others, "its error   too early"));
}

}  // namespace stretto
