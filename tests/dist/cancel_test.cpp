// Cancelling tasks of other nodes: one fact at a time, then random programs, stepped, threaded, and with a lost
// node.
#include <stretto/cancel.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/profile.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

constexpr std::size_t most_runs = 4096;
std::array<std::atomic<int>, most_runs> runs_of;

int ran(std::uint32_t which) { return ++runs_of[which]; }
int begins_and_waits(event go_on, user_event begun) {
  begun.trigger();
  wait(go_on);
  return 5;
}
void has_no_ink() { throw std::runtime_error("no ink"); }

std::string failure_code(const future<int>& f) {
  return test::error_of([&] { f.get(); }).code();
}

}  // namespace

TEST_SUITE_BEGIN("dist");

TEST_CASE("a task of another node that waits for something is cancelled, and does not run there") {
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes) {
    runs_of[0] = 0;
    test::on_all_nodes({.nodes = nodes}, 1, [&](runtime&) {
      if (this_node() != 0) return;
      const std::uint32_t there = nodes - 1;
      const auto gate = user_event::create();
      future<operation_profile> p;
      const auto f = async(at_node(there), after(gate), name("guess"), profile(p), call<&ran>(0u));
      const auto second = async(after(f), [] { return 2; });
      const auto other = async(at_node(there), after(gate), call<&ran>(1u));
      CHECK(cancel(f));
      CHECK(f.is_poisoned());
      CHECK(test::words_of(f).starts_with("error S18: task \"guess\" was cancelled before it began\n"));
      CHECK(p.get().result == outcome::skipped);
      CHECK_THROWS_AS(second.get(), poisoned);
      CHECK_FALSE(cancel(f));
      gate.trigger();
      CHECK(other.get() > 0);
      CHECK_FALSE(cancel(other));
    });
    CHECK(runs_of[0] == 0);
  }
}

TEST_CASE("a task that runs on another node is not cancelled") {
  test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto go_on = user_event::create(), begun = user_event::create();
    const auto f = async(at_node(1), call<&begins_and_waits>(go_on, begun));
    wait(begun);
    CHECK_FALSE(cancel(f));
    CHECK_FALSE(f.is_ready());
    go_on.trigger();
    CHECK(f.get() == 5);
  });
}

TEST_CASE("a ready task of another node whose worker is busy is cancelled") {
  runs_of[2] = 0;
  std::atomic<bool> is_cancelled{false};
  test::on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto begun = user_event::create();
    // It occupies the only worker there and triggers an event; the service thread then receives messages.
    static std::atomic<bool>* over;
    over = &is_cancelled;
    const auto busy = async(at_node(1), call(
                                            [](user_event b) {
                                              b.trigger();
                                              while (!*over) std::this_thread::yield();
                                            },
                                            begun));
    wait(begun);
    const auto f = async(at_node(1), call<&ran>(2u));
    CHECK(cancel(f));
    is_cancelled = true;
    busy.get();
    CHECK(failure_code(f) == "S18");
  });
  CHECK(runs_of[2] == 0);
}

TEST_CASE("a finish over nodes is over without the tasks that were cancelled in it") {
  runs_of[3] = 0;
  test::on_all_nodes({.nodes = 2}, 2, [&](runtime&) {
    if (this_node() != 0) return;
    const auto never = user_event::create();
    finish([&] {
      const auto f = async(at_node(1), after(never), call<&ran>(3u));
      CHECK(cancel(f));
    });
    CHECK_THROWS_WITH(finish([&] { async(at_node(1), call<&has_no_ink>()); }), doctest::Contains("no ink"));
  });
  CHECK(runs_of[3] == 0);
}

TEST_CASE("of tasks on several nodes and cancels, each task runs or is cancelled") {
  const int seeds = test::scaled(20, 1'000);
  for (int seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    for (auto& r : runs_of) r = 0;
    constexpr std::uint32_t nodes = 3, each = 60;
    std::atomic<int> cancelled{0};
    test::on_all_nodes({.nodes = nodes, .seed = std::uint64_t(seed)}, 1 + std::uint32_t(seed % 2), [&](runtime&) {
      const std::uint32_t self = this_node();
      std::mt19937_64 random(std::uint64_t(seed) * 7 + self);
      std::vector<user_event> gates;
      for (int i = 0; i < 3; ++i) gates.push_back(user_event::create());
      std::vector<future<int>> all;
      std::vector<bool> is_cancelled(each);
      for (std::uint32_t i = 0; i < each; ++i) {
        const at_node to(std::uint32_t(random() % nodes));
        const std::uint32_t which = self * each + i;
        const user_event gate = gates[random() % 3];
        all.push_back(random() % 3 ? async(to, after(gate), call<&ran>(which)) : async(to, call<&ran>(which)));
        if (random() % 3 == 0) {
          const std::size_t other = random() % (i + 1);
          if (cancel(all[other])) is_cancelled[other] = true;
        }
      }
      for (const auto& g : gates) g.trigger();
      for (std::uint32_t i = 0; i < each; ++i) {
        const int ran = runs_of[self * each + i];
        if (is_cancelled[i]) {
          CHECK(failure_code(all[i]) == "S18");
          CHECK(ran == 0);
          ++cancelled;
        } else {
          CHECK(all[i].get() == 1);
        }
      }
    });
    int sum = 0;
    for (const auto& r : runs_of) sum += r;
    CHECK(sum + cancelled == int(nodes * each));
  }
}

TEST_CASE("a cancel whose node is lost returns false, and the future says N05") {
  const simulated_job job({.nodes = 2});
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < 2; ++n)
    all.emplace_back([&, n] {
      runtime rt({.workers = 1, .job = job.endpoint(n)});
      try {
        rt.run([&] {
          if (n != 0) return;
          const auto gate = user_event::create();
          const auto f = async(at_node(1), after(gate), call<&ran>(4u));
          job.cut(0, 1);
          CHECK_FALSE(cancel(f));
          CHECK(test::words_of(f).find("N05") != std::string::npos);
          gate.trigger();
        });
      } catch (const error&) {
      }
    });
  for (std::thread& t : all) t.join();
}

TEST_SUITE_END();

}  // namespace stretto
