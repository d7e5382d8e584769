// Launches on objects if the host alone computes: the submitting call issues them, unless a predecessor is in the way.
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "function_reference.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(host_fill, (out<int> x, int value), { x(global_id(0)) = value; })
STRETTO_KERNEL(host_add, (in<int> x, inout<int> sum), { sum(global_id(0)) += x(global_id(0)); })
STRETTO_KERNEL(host_plus, (inout<int> x, int by), { x(global_id(0)) += by; })

void with_workers(test::function_reference<void(runtime&)> body) {
  for (const unsigned workers : {1u, 2u, 4u})
    for (const bool stepped : {false, true}) {
      INFO(workers << (stepped ? " workers, stepped" : " workers"));
      runtime rt({.workers = workers, .devices = "none", .stepped = stepped});
      body(rt);
    }
}

TEST_CASE("a view of the program blocks writers of its elements and their successors, and no others") {
  with_workers([](runtime& rt) {
    rt.run([] {
      const box all(0, 4);
      const std::vector<int> ones(4, 1);
      const object<int> x(all, ones.data()), y(all, ones.data()), z(all, ones.data());
      auto seen = x.read().get();
      const event change = launch(host_fill, all, x, 5);
      const event follow = launch(host_add, all, x, y);
      const event read = launch(host_add, all, y, z);  // after `follow`
      const object<int> apart(all, ones.data());
      wait(launch(host_plus, all, apart, 1));
      CHECK_FALSE(change.has_triggered());
      CHECK_FALSE(follow.has_triggered());
      CHECK_FALSE(read.has_triggered());
      CHECK(seen.view()(0) == 1);
      seen.release();
      wait(read);
      CHECK(y.read().get().view()(3) == 6);
      CHECK(z.read().get().view()(3) == 7);
    });
  });
}

TEST_CASE("a launch that waits for an event keeps its place in the order of submission") {
  with_workers([](runtime& rt) {
    rt.run([] {
      const box all(0, 2);
      const std::vector<int> ones(2, 1);
      const object<int> x(all, ones.data()), sum(all, ones.data());
      const user_event go = user_event::create();
      const event late = launch(after(go), host_plus, all, x, 10);
      const event reads = launch(host_add, all, x, sum);
      const event last = launch(host_fill, all, x, 3);
      CHECK_FALSE(reads.has_triggered());
      go.trigger();
      wait(last), wait(reads), wait(late);
      CHECK(sum.read().get().view()(0) == 12);
      CHECK(x.read().get().view()(0) == 3);
    });
  });
}

TEST_CASE("objects created and destroyed in turn take the memory of a few") {
  const test::with_variable memory("STRETTO_HOST_MEMORY", "64k");
  with_workers([](runtime& rt) {
    constexpr int n = 2048, times = 100;
    rt.run([] {
      const std::vector<int> zeros(n, 0);
      const object<int> sum(box(0, n), zeros.data());
      finish([&] {
        for (int i = 1; i <= times; ++i) {
          const object<int> x(box(0, n));
          launch(host_fill, x.elements(), x, i);
          launch(host_add, x.elements(), x, sum);
        }
      });
      const auto seen = sum.read().get();
      CHECK(seen.view()(0) == times * (times + 1) / 2);
      CHECK(seen.view()(n - 1) == times * (times + 1) / 2);
    });
  });
}

TEST_CASE("launches are counted when their finish is over") {
  with_workers([](runtime& rt) {
    rt.run([] {
      object<int> x(box(0, 1));
      launch(host_fill, x.elements(), x, 0);
      finish([&] {
        for (int i = 0; i < 50; ++i) launch(host_plus, x.elements(), x, 1);
      });
    });
    CHECK(rt.statistics().devices.front().launches == 51);
  });
}

TEST_CASE("tasks that launch at once on one object and on their own get what one after the other gives") {
  with_workers([](runtime& rt) {
    rt.run([] {
      constexpr int tasks = 4, times = 60;
      const int zero = 0;
      const object<int> all(box(0, 1), &zero);
      finish([&] {
        for (int t = 0; t < tasks; ++t)
          async([&all] {
            const int none = 0;
            const object<int> mine(box(0, 1), &none);
            for (int i = 0; i < times; ++i) {
              launch(host_plus, mine.elements(), mine, 1);
              launch(host_plus, all.elements(), all, 1);
              if (i % 20 == 7) CHECK(mine.read().get().view()(0) == i + 1);
            }
            launch(host_add, all.elements(), mine, all);
          });
      });
      CHECK(all.read().get().view()(0) == 2 * tasks * times);
    });
  });
}

}  // namespace
}  // namespace stretto
