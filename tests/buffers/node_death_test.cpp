// Nodes that fail during a program of launches: the runs of all others end with that cause, or have all that they
// needed.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "buffers/node_reports.hpp"
#include "buffers/stencil_on_nodes.hpp"
#include "campaign.hpp"

namespace stretto {
namespace {

/// Reads during the program, and at the end the results of all nodes.
template <class Before>
void step_often(int steps, bool reads, Before&& before) {
  test::stencil_on_nodes program(48);
  for (int i = 0; i < steps; ++i) {
    before(i);
    program.step();
    if (i % 5 == 1) program.add_up();
    if (i % 6 == 2) program.look();
    if (reads && i % 4 == 3) program.read_sum();
  }
  program.read_all();
}

void check_survivors(const test::node_reports& told, std::uint32_t victim, bool may_be_content) {
  INFO(told.written);
  // The error at the end is about the lost node, too.
  for (std::size_t at = told.written.find("error "); at != std::string::npos;
       at = told.written.find("\nerror ", at + 1)) {
    const std::string one = told.written.substr(at, told.written.find("\nerror ", at + 1) - at);
    CHECK(one.find("N05") != std::string::npos);
  }
  for (const auto& [node, text] : told.thrown) {
    if (node == victim || (may_be_content && text == "nothing was thrown")) continue;
    CAPTURE(node);
    INFO(text);
    CHECK(text.find("error N05: node N" + std::to_string(victim) + " is lost") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a node that dies between two launches ends the runs of all others with its loss") {
  for (std::uint32_t seed = 0; seed < test::scaled(40u, 2000u); ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t nodes = 2 + seed % 4, victim = random() % nodes;
    const int steps = 5 + static_cast<int>(random() % 30),
              at = static_cast<int>(random() % static_cast<std::uint32_t>(steps));
    const simulated_job job({.nodes = nodes, .seed = seed});
    CAPTURE(seed);
    const test::node_reports told =
        test::run_on_nodes(job, {.workers = 1 + seed % 2, .devices = seed % 3 ? "none" : "sim:2"}, [&](runtime& rt) {
          step_often(steps, seed % 2 != 0, [&](int i) {
            if (i == at && rt.node() == victim) job.kill(victim);
          });
        });
    check_survivors(told, victim, false);
  }
}

TEST_CASE("the error of a lost node names the awaited elements, their buffer and the launch that needs them") {
  const simulated_job job({.nodes = 2});
  const test::node_reports told = test::run_on_nodes(job, {.workers = 1, .devices = "none"}, [&](runtime& rt) {
    test::stencil_on_nodes program(48);
    if (rt.node() == 1) job.kill(1);
    program.read_all();
  });
  const std::string& text = told.thrown.at(0);
  INFO(text);
  CHECK(text.find("\n  skipped     elements [24,48) that other nodes send to instance \"u\", stencil_on_nodes.hpp:") !=
        std::string::npos);
  CHECK(text.find("error N05: node N1 is lost") != std::string::npos);
}

TEST_CASE("a node that dies at any time does not leave others waiting") {
  for (std::uint32_t seed = 0; seed < test::scaled(40u, 2000u); ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t nodes = 2 + seed % 4, victim = random() % nodes;
    const auto after = std::chrono::microseconds(random() % 4000);
    const simulated_job job({.nodes = nodes, .seed = seed});
    CAPTURE(seed);
    std::thread death([&] {
      std::this_thread::sleep_for(after);
      job.kill(victim);
    });
    const test::node_reports told =
        test::run_on_nodes(job, {.workers = 1 + seed % 2, .devices = seed % 3 ? "none" : "sim:2"},
                           [&](runtime&) { step_often(60, seed % 2 != 0, [](int) {}); });
    death.join();
    check_survivors(told, victim, true);
  }
}

}  // namespace stretto
