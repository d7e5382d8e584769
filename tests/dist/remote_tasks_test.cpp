// Functions on other nodes, each node a runtime with threads of its own on a simulated network.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/profile.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_all_nodes;

int squared(int x) { return x * x; }
std::uint32_t where_am_i() { return this_node(); }

struct parcel {
  std::string name;
  std::vector<double> content;
  template <class Archive>
  friend void fields(Archive& a, archived<parcel, Archive>& p) {
    a(p.name, p.content);
  }
};
parcel doubled_parcel(const parcel& p) {
  parcel d = p;
  for (double& x : d.content) x *= 2;
  return d;
}
void fails(const std::string& why) { throw std::runtime_error(why); }
namespace solver {
struct diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};
}  // namespace solver
void diverges(int residual) { throw solver::diverged("residual " + std::to_string(residual)); }

std::atomic<long> reached{0};

/// Spawns two copies of itself on the next nodes, to this `depth`.
void spread(int depth) {
  reached.fetch_add(1);
  if (depth == 0) return;
  const std::uint32_t next = (this_node() + 1) % job_nodes();
  async(at_node(next), call<&spread>(depth - 1));
  async(at_node((next + 1) % job_nodes()), call<&spread>(depth - 1));
}

TEST_CASE("a function runs on the node that it is sent to, and its value comes back") {
  for (const std::uint32_t nodes : {1u, 2u, 5u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 1, [&](runtime& rt) {
      CHECK(job_nodes() == nodes);
      CHECK(rt.nodes() == nodes);
      CHECK(rt.node() == this_node());
      for (std::uint32_t n = 0; n < nodes; ++n) {
        CHECK(async(at_node(n), call<&where_am_i>()).get() == n);
        CHECK(async(at_node(n), name("square"), call<&squared>(n + 3)).get() == int((n + 3) * (n + 3)));
        CHECK(
            async(at_node(n), call([](const std::string& a, int b) { return a + std::to_string(b); }, "n", n)).get() ==
            "n" + std::to_string(n));
      }
      parcel p{"large", std::vector<double>(10'000, 1.5)};
      const parcel back = async(at_node(nodes - 1), call<&doubled_parcel>(p)).get();
      CHECK(back.name == "large");
      CHECK(std::accumulate(back.content.begin(), back.content.end(), 0.0) == 30'000);
    });
}

TEST_CASE("a runtime that is not part of a job runs functions itself") {
  runtime rt({.workers = 2});
  rt.run([] {
    CHECK(job_nodes() == 1);
    CHECK(async(call<&squared>(5)).get() == 25);
    CHECK(async(at_node(0), call<&squared>(6)).get() == 36);
    CHECK(error_of([] { async(at_node(1), call<&squared>(6)); }).code() == "N02");
    reached = 0;
    finish([] { async(call<&spread>(6)); });
    CHECK(reached == 127);
  });
}

std::uint32_t my_worker() { return this_worker(); }
std::uint32_t worker_behind_a_wait(event e) {
  const std::uint32_t before = this_worker();
  wait(e);
  return this_worker() == before ? before : ~0u;
}

TEST_CASE("on(worker) and on(place) bind a function to a worker of the node that runs it") {
  for (const std::uint32_t nodes : {1u, 3u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 3, [](runtime&) {
      const std::uint32_t last = job_nodes() - 1;
      const platform machine = platform_of(at_node(last)).get();
      for (int round = 0; round < 20; ++round) {
        const std::uint32_t w = static_cast<std::uint32_t>(round) % 3;
        CHECK(async(at_node(last), on(worker(w)), call<&my_worker>()).get() == w);
        CHECK(async(on(worker(w)), name("bound"), call<&my_worker>()).get() == w);
        const auto later = user_event::create();
        const auto bound = async(on(worker(w)), at_node(last), priority(3), call<&worker_behind_a_wait>(later));
        later.trigger();
        CHECK(bound.get() == w);
        const place home = machine.pop_path(w).front();
        const std::uint32_t at_home = async(at_node(last), on(home), call<&my_worker>()).get();
        CHECK(machine.pop_path(at_home).front() == home);
      }
    });
}

TEST_CASE("a worker or a place that a node does not have is refused by that node") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    const std::uint32_t other = 1 - this_node();
    CHECK(error_of([&] { async(at_node(other), on(worker(99)), call<&my_worker>()).get(); }).code() == "S03");
    CHECK(error_of([&] { async(at_node(other), on(place{12345}), call<&my_worker>()).get(); }).code() == "S03");
    CHECK(error_of([&] { async(at_node(other), at(place{12345}), call<&my_worker>()).get(); }).code() == "S02");
    // Places of this node, and what is wrong everywhere, are reported by the call.
    CHECK(error_of([&] { async(at_node(this_node()), on(worker(99)), call<&my_worker>()); }).code() == "S03");
    CHECK(error_of([&] { async(on(place{12345}), call<&my_worker>()); }).code() == "S03");
    CHECK(error_of([&] { async(at_node(other), priority(1000), call<&my_worker>()); }).code() == "S04");
    CHECK(async(at_node(other), call<&squared>(2)).get() == 4);
  });
}

TEST_CASE("a function on another node returns its profile") {
  for (const std::uint32_t nodes : {1u, 2u})
    on_all_nodes({.nodes = nodes}, 2, [](runtime&) {
      const std::uint32_t other = job_nodes() - 1;
      future<operation_profile> p;
      const auto gate = user_event::create();
      const auto f =
          async(at_node(other), on(worker(1)), profile(p), after(gate), call<&worker_behind_a_wait>(event()));
      REQUIRE(p.valid());
      gate.trigger();
      CHECK(f.get() == 1);
      const operation_profile& was = p.get();
      CHECK(was.result == outcome::succeeded);
      CHECK(was.worker == 1);
      CHECK(was.last_worker == 1);
      CHECK(was.operation.find("remote_tasks_test.cpp") != std::string::npos);
      CHECK(was.created <= was.ready);
      CHECK(was.ready <= was.started);
      CHECK(was.started <= was.ended);
      CHECK(was.ended <= operation_profile::clock::now());

      future<operation_profile> failed, skipped, refused;
      const auto doomed = async(at_node(other), name("doomed"), profile(failed), call<&fails>("no paper left"));
      const auto behind = async(at_node(other), after(doomed), profile(skipped), call<&squared>(1));
      CHECK_THROWS(behind.get());
      CHECK(failed.get().result == outcome::failed);
      CHECK(failed.get().operation == "task \"doomed\"");
      CHECK(failed.get().why);
      CHECK(skipped.get().result == outcome::skipped);
      if (job_nodes() == 1) return;
      CHECK(error_of([&] {
              async(at_node(1 - this_node()), on(worker(99)), profile(refused), call<&my_worker>()).get();
            }).code() == "S03");
      CHECK(refused.get().result == outcome::failed);
    });
}

TEST_CASE("a finish waits for tasks on other nodes, and for the tasks that these have spawned") {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    reached = 0;
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = 1e-5}, 2, [](runtime&) {
      if (this_node() != 0) return;
      for (int round = 1; round <= 3; ++round) {
        finish([] { async(at_node(1), call<&spread>(5)); });
        CHECK(reached == 63 * round);
      }
    });
  }
}

TEST_CASE("the exception of a function is rethrown with its node") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    const std::uint32_t other = 1 - this_node();
    const future<void> failed = async(at_node(other), name("doomed"), call<&fails>("no paper left"));
    const std::string words = [&]() -> std::string {
      try {
        failed.get();
      } catch (const std::exception& e) {
        return e.what();
      }
      return "";
    }();
    CHECK(words.find("no paper left") != std::string::npos);
    CHECK(words.find("N" + std::to_string(other)) != std::string::npos);
    // The object and the node remain usable.
    CHECK(async(at_node(other), call<&squared>(2)).get() == 4);
  });
}

TEST_CASE("a finish rethrows unobserved failures of its tasks on other nodes") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    CHECK_THROWS_WITH(finish([] { async(at_node(1 - this_node()), call<&fails>("lost the thread")); }),
                      doctest::Contains("lost the thread"));
    CHECK_THROWS_WITH(
        finish([] { async(at_node(1 - this_node()), call([] { async(call<&fails>("a grandchild")); })); }),
        doctest::Contains("a grandchild"));
  });
}

TEST_CASE("an exception of the program's own type keeps its type name and text, also through a third node") {
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto told = [](const auto& f) {
      try {
        f.get();
      } catch (const remote_exception& e) {
        return std::string(e.what()) + " | " + e.type() + " | " + e.message();
      } catch (const std::exception& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    CHECK(told(async(at_node(1), call<&diverges>(3))) ==
          "stretto::(anonymous namespace)::solver::diverged: residual 3 (on N1) | stretto::(anonymous "
          "namespace)::solver::diverged | residual 3");
    CHECK(told(async(at_node(1), call([] { throw std::out_of_range("item 7"); }))) ==
          "std::out_of_range: item 7 (on N1) | std::out_of_range | item 7");
    CHECK(told(async(at_node(1), call([] { throw 7; }))) ==
          "int: an exception that is not a std::exception (on N1) | int | an exception that is not a std::exception");
    CHECK(told(async(at_node(1), call<&fails>("plain"))) == "plain (on N1)");
    CHECK(told(async(at_node(1), call([] { async(at_node(2), call<&diverges>(4)).get(); }))) ==
          "stretto::(anonymous namespace)::solver::diverged: residual 4 (on N2) | stretto::(anonymous "
          "namespace)::solver::diverged | residual 4");
  });
}

TEST_CASE("a function waits on its node for events of any node") {
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto begin = user_event::create();
    const future<int> late = async(at_node(1), after(begin), call<&squared>(9));
    const future<int> later = async(at_node(2), after(late), call<&squared>(10));
    CHECK_FALSE(late.is_ready());
    begin.trigger();
    CHECK(later.get() == 100);
    CHECK(late.get() == 81);

    const auto never = user_event::create();
    const future<int> skipped = async(at_node(1), after(never), name("behind it"), call<&squared>(1));
    never.poison(std::make_exception_ptr(std::runtime_error("the key is lost")));
    CHECK_THROWS_WITH(skipped.get(), doctest::Contains("the key is lost"));
  });
}

TEST_CASE("many functions at once, from every node to every node") {
  on_all_nodes({.nodes = 4, .seed = 9, .jitter_seconds = 1e-5}, 2, [](runtime&) {
    std::vector<future<int>> all;
    for (int i = 0; i < 400; ++i) all.push_back(async(at_node(std::uint32_t(i) % job_nodes()), call<&squared>(i)));
    for (int i = 0; i < 400; ++i) CHECK(all[std::size_t(i)].get() == i * i);
  });
}

TEST_CASE("calls to a lost node fail, and the other nodes continue") {
  const simulated_job job({.nodes = 3});
  on_all_nodes(
      {}, 1,
      [&](runtime&) {
        if (this_node() != 0) return;
        const auto never = user_event::create();
        const future<int> lost = async(at_node(2), after(never), call<&squared>(3));
        CHECK(async(at_node(2), call<&squared>(4)).get() == 16);
        job.kill(2);
        CHECK_THROWS_WITH(lost.get(), doctest::Contains("N05"));
        CHECK_THROWS_WITH(async(at_node(2), call<&squared>(3)).get(), doctest::Contains("N05"));
        CHECK(async(at_node(1), call<&squared>(5)).get() == 25);
        never.trigger();
      },
      &job);
}

TEST_CASE("misuse is reported by the call") {
  const simulated_job job({.nodes = 2});
  CHECK(error_of([&] { job.endpoint(2); }).code() == "N02");
  const auto endpoint = job.endpoint(0);
  CHECK(error_of([&] { job.endpoint(0); }).code() == "N11");
  CHECK(error_of([] { simulated_job({.nodes = 0}); }).code() == "N12");
  CHECK(error_of([] { simulated_job({.latency_seconds = -1}); }).code() == "N12");
  CHECK(error_of([] { this_node(); }).code() == "B20");
}

}  // namespace
}  // namespace stretto
