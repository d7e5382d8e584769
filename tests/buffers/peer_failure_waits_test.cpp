// Waits of the program itself (events, barriers, calls) for a node whose run has failed.
#include <stretto/barrier.hpp>
#include <stretto/buffer.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "buffers/node_reports.hpp"
#include "campaign.hpp"

namespace stretto {
namespace {

using test::node_reports;
using test::run_on_nodes;

constexpr std::uint32_t most_nodes = 6;

/// State of each node in this process.
struct kept {
  std::mutex lock;
  std::array<user_event, most_nodes> events{};
  std::array<barrier, most_nodes> barriers{};
} of_nodes;

event own_event() {
  const std::scoped_lock lock(of_nodes.lock);
  user_event& e = of_nodes.events[this_node()];
  if (e == user_event()) e = user_event::create();
  return e;
}
void wait_for_own_event() { wait(own_event()); }
void trigger_own_event() {
  own_event();
  const std::scoped_lock lock(of_nodes.lock);
  of_nodes.events[this_node()].trigger();
}
barrier barrier_of_all() {
  const std::scoped_lock lock(of_nodes.lock);
  barrier& b = of_nodes.barriers[this_node()];
  if (b == barrier()) b = barrier::create(job_nodes());
  return b;
}

int seven() { return 7; }

void forget() {
  const std::scoped_lock lock(of_nodes.lock);
  of_nodes.events = {};
  of_nodes.barriers = {};
}

struct way_to_wait {
  const char* what;
  std::function<void(std::uint32_t odd)> wait_there;  // on each node except the failing one
};

const way_to_wait ways[] = {
    {"an event of the node that fails, which it would have triggered",
     [](std::uint32_t odd) { wait(async(at_node(odd), call<&own_event>()).get()); }},
    {"an event of its own, which the node that fails would have triggered by a call",
     [](std::uint32_t) { wait(own_event()); }},
    {"a call to the node that fails, which waits there for what its program would have done",
     [](std::uint32_t odd) { async(at_node(odd), call<&wait_for_own_event>()).get(); }},
    {"a task behind such an event",
     [](std::uint32_t odd) {
       const event never = async(at_node(odd), call<&own_event>()).get();
       wait(async(after(never), [] {}));
     }},
    {"a barrier at which the node that fails does not arrive",
     [](std::uint32_t odd) {
       const barrier b = async(at_node((odd + 1) % job_nodes()), call<&barrier_of_all>()).get();
       b.arrive();
       wait(b);
     }},
    {"a phase of a barrier behind the next one",
     [](std::uint32_t odd) {
       const barrier b = async(at_node(odd), call<&barrier_of_all>()).get();
       b.arrive();
       b.advance().arrive();
       wait(b.advance());
     }},
};

bool names(const std::string& text, std::uint32_t odd, const std::string& own) {
  return text.starts_with("error N17: the run of node " + std::to_string(odd) + " has ended with an error") &&
         text.find(own) != text.npos;
}

}  // namespace

TEST_CASE("a wait by events, barriers or calls for a failed run ends with an error that names the failed node") {
  std::mt19937 random(1);
  for (const way_to_wait& way : ways)
    for (std::uint32_t seed = 0; seed < test::scaled(1u, 40u); ++seed) {
      const std::uint32_t nodes = 2 + random() % (most_nodes - 2), odd = random() % nodes, workers = 1 + random() % 2;
      CAPTURE(way.what);
      CAPTURE(seed);
      CAPTURE(nodes);
      CAPTURE(odd);
      forget();
      const node_reports told = run_on_nodes(simulated_job({.nodes = nodes, .seed = seed}),
                                             {.workers = workers, .devices = "none"}, [&](runtime& rt) {
                                               if (rt.node() == odd) throw std::runtime_error("no ink");
                                               way.wait_there(odd);
                                             });
      INFO(told.written);
      CHECK(told.written == "");
      for (const auto& [node, text] : told.thrown) {
        CAPTURE(node);
        INFO(text);
        if (node == odd) CHECK(text == "no ink");
        else CHECK(names(text, odd, "no ink"));
      }
    }
}

TEST_CASE("a wait that will complete is not ended, however long it lasts after the failure of another node") {
  forget();
  const auto slow = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); };
  const node_reports told =
      run_on_nodes(simulated_job({.nodes = 3}), {.workers = 2, .devices = "none"}, [&](runtime& rt) {
        if (rt.node() == 2) throw std::runtime_error("no ink");
        if (rt.node() == 1) {  // triggered by a task of another node
          slow();
          async(at_node(0), call<&trigger_own_event>()).get();
          return;
        }
        wait(own_event());
        const user_event by_thread = user_event::create();  // and by a thread outside of the runtimes
        std::jthread other([&] {
          slow();
          const attached_thread here(rt);
          by_thread.trigger();
        });
        wait(by_thread);
      });
  INFO(told.written);
  CHECK(told.written == "");
  CHECK(told.thrown.at(0) == "nothing was thrown");
  CHECK(told.thrown.at(1) == "nothing was thrown");
  CHECK(told.thrown.at(2) == "no ink");
}

TEST_CASE("a wait behind a failed run is reported once and continues if a thread outside of runtimes may still act") {
  forget();
  const bool as_usual = test::long_campaign();
  const double patience = as_usual ? 10 : 1.5;
  // The wait ends when the report exists, however long a busy machine takes, and then lasts a little longer, to catch a
  // second report.
  const auto is_told = [] { return test::written_so_far().find("error H10") != std::string::npos; };
  const node_reports told = run_on_nodes(
      simulated_job({.nodes = 3}), {.workers = 2, .devices = "none"},
      [&](runtime& rt) {
        if (rt.node() == 2) throw std::runtime_error("no ink");
        if (rt.node() == 1) return wait(async(at_node(0), call<&own_event>()).get());
        std::jthread other([&] {
          while (!is_told()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
          std::this_thread::sleep_for(std::chrono::duration<double>(patience + 3));
          const attached_thread here(rt);
          trigger_own_event();
        });
        wait(own_event());
      },
      as_usual ? "10" : "1.5");
  INFO(told.written);
  const std::size_t first = told.written.find("error H10: no progress for ");
  REQUIRE(first != told.written.npos);
  CHECK(told.written.find("error", first + 1) == told.written.npos);
  CHECK(told.written.find("that no runtime runs may act") != told.written.npos);
  CHECK(told.thrown.at(0) == "nothing was thrown");
  CHECK(told.thrown.at(1) == "nothing was thrown");
  CHECK(told.thrown.at(2) == "no ink");
}

TEST_CASE("a program that catches the end of its wait continues, and its later work is done") {
  forget();
  std::atomic<int> went_on{0};
  const node_reports told =
      run_on_nodes(simulated_job({.nodes = 3}), {.workers = 1, .devices = "none"}, [&](runtime& rt) {
        if (rt.node() == 2) throw std::runtime_error("no ink");
        try {
          wait(own_event());
        } catch (const std::exception&) {
          ++went_on;
        }
        if (rt.node() == 0) CHECK(async(at_node(1), call<&seven>()).get() == 7);
      });
  CHECK(went_on == 2);
  CHECK(told.thrown.at(0) == "nothing was thrown");
  CHECK(told.written == "");
}

}  // namespace stretto
