#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

#include "base/config.hpp"
#include "sched/core_choice.hpp"
#include "sched/with_runtimes.hpp"
#include "thrown_by.hpp"

using namespace stretto;

namespace {

cpu_set_t cores_of_thread() {
  cpu_set_t cores;
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  return cores;
}

cpu_set_t cores_numbered(std::vector<int> numbers) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const int n : numbers) CPU_SET(n, &cores);
  return cores;
}

/// Ends only if all workers run tasks at once.
void meet_on_all_workers(std::uint32_t workers) {
  std::atomic<std::uint32_t> arrived{0};
  finish([&] {
    for (std::uint32_t i = 0; i < workers; ++i)
      async([&] {
        ++arrived;
        while (arrived < workers) sched_yield();
      });
  });
}

std::uint32_t worker_count() {
  std::uint32_t count = 1;
  while (test::error_of([&] { async(on(worker(count)), [] {}); }).code().empty()) ++count;
  return count;
}

/// OpenMP's library, as a program has it that is built with it.
struct openmp {
  void* const library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(dlsym(library, name));
  }
  int count() const { return function<int()>("omp_get_max_threads")(); }
};

}  // namespace

TEST_CASE("no other task runs during the body of a lease of all cores") {
  test::with_runtimes([] {
    const std::uint32_t workers = worker_count();
    std::atomic<bool> is_inside{false};
    std::atomic<int> meanwhile{0}, ran{0};
    finish([&] {
      std::vector<future<int>> results;
      for (int lease = 0; lease < 3; ++lease) {
        for (int i = 0; i < 200; ++i)
          async([&] {
            if (is_inside) ++meanwhile;
            ++ran;
          });
        results.push_back(lease_cores(workers, [&, lease] {
          is_inside = true;
          for (int i = 0; i < 50; ++i) sched_yield();
          is_inside = false;
          return lease;
        }));
      }
      for (int lease = 0; lease < 3; ++lease) CHECK(results[static_cast<std::size_t>(lease)].get() == lease);
    });
    CHECK(ran == 600);
    CHECK(meanwhile == 0);
  });
}

TEST_CASE("the workers that are not of a lease go on") {
  runtime rt({.workers = 4});
  rt.run([] {
    std::atomic<int> helped{0};
    const auto f = lease_cores(2, [&] {
      for (int i = 0; i < 2; ++i)
        async([&] {
          ++helped;
          while (helped < 2) sched_yield();
        });
      while (helped < 2) sched_yield();  // two other workers run these
      return helped.load();
    });
    CHECK(f.get() == 2);
    meet_on_all_workers(4);
  });
}

TEST_CASE("workers come back after a body that throws") {
  runtime rt({.workers = 3});
  rt.run([] {
    const auto f = lease_cores(3, [] { throw std::runtime_error("singular"); });
    CHECK_THROWS_WITH(f.get(), "singular");
    meet_on_all_workers(3);
  });
}

TEST_CASE("leases of all cores follow each other, also if many tasks request them") {
  test::with_runtimes([] {
    const std::uint32_t workers = worker_count();
    std::atomic<int> inside{0}, most{0}, ran{0};
    finish([&] {
      for (int i = 0; i < 40; ++i)
        async([&] {
          lease_cores(workers, [&] {
            if (++inside > most) most = inside.load();
            ++ran;
            sched_yield();
            --inside;
          });
        });
    });
    CHECK(most == 1);
    CHECK(ran == 40);
  });
}

TEST_CASE("a body waits for tasks that only its own workers may run, and goes on on the same worker") {
  test::with_runtimes([] {
    const std::uint32_t workers = worker_count();
    const auto f = lease_cores(workers, [&] {
      const std::uint32_t before = this_worker();
      std::uint32_t sum = 0;
      for (int round = 0; round < 5; ++round)
        for (std::uint32_t i = 0; i < workers; ++i) sum += async(on(worker(i)), [] { return this_worker(); }).get();
      finish([&] {
        for (int i = 0; i < 100; ++i) async([] {});
      });
      CHECK(this_worker() == before);
      return sum;
    });
    CHECK(f.get() == 5 * workers * (workers - 1) / 2);
  });
}

TEST_CASE("a lease that a spawner of endlessly many tasks requests is granted, and the spawner goes on") {
  runtime rt({.workers = 2});
  rt.run([] {
    std::atomic<int> ran{0};
    finish([&] {
      future<int> f;
      for (int i = 0; i < 100'000; ++i) {
        if (i == 20'000) f = lease_cores(2, [] { return 7; });
        async([&] { ++ran; });
      }
      CHECK(f.get() == 7);
    });
    CHECK(ran == 100'000);
  });
}

TEST_CASE("a lease needs at least one core and at most one per worker") {
  runtime rt({.workers = 2});
  rt.run([] {
    const error none = test::error_of([] { lease_cores(0, [] {}); });
    CHECK(none.code() == "S24");
    CHECK(std::string(none.what()).find("a lease of 0 cores was requested from a runtime with 2 workers") !=
          std::string::npos);
    CHECK(test::error_of([] { lease_cores(3, [] {}); }).code() == "S24");
    CHECK(lease_cores(2, [] { return 1; }).get() == 1);
  });
  CHECK(test::error_of([] { lease_cores(1, [] {}); }).code() == "B20");
}

TEST_CASE("a lease inside the body of a lease is refused, and one of another task meanwhile is not") {
  runtime rt({.workers = 2});
  rt.run([] {
    future<int> other;
    const auto f = lease_cores(2, [&] {
      async([&] { other = lease_cores(2, [] { return 4; }); }).get();  // while the body waits
      CHECK_FALSE(other.is_ready());
      return test::error_of([] { lease_cores(1, [] {}); }).code();
    });
    CHECK(f.get() == "S25");
    CHECK(other.get() == 4);
  });
}

TEST_CASE("a lease takes the tags of a task") {
  test::with_runtimes([] {
    const auto gate = user_event::create();
    future<operation_profile> measured;
    const auto f = lease_cores(after(gate), name("solve"), priority(3), profile(measured), 1, [] { return 5; });
    CHECK_FALSE(f.is_ready());
    gate.trigger();
    CHECK(f.get() == 5);
    CHECK(measured.get().operation == "task \"solve\"");

    const auto closed = user_event::create();
    const auto skipped = lease_cores(after(closed), 1, [] { return 6; });
    const auto cancelled = lease_cores(after(closed), 1, [] { return 6; });
    CHECK(cancel(cancelled));
    closed.poison(std::make_exception_ptr(std::runtime_error("no input")));
    CHECK_THROWS_AS(skipped.get(), poisoned);
    CHECK(test::error_of([&] { cancelled.get(); }).code() == "S18");
    CHECK(lease_cores(1, [] { return 8; }).get() == 8);
  });
}

TEST_CASE("the body and its threads may use as many cores as the lease has, and the workers all of them afterwards") {
  const cpu_set_t all = cores_of_thread();
  const int expected = std::min(2, CPU_COUNT(&all));
  runtime rt({.workers = 3});
  rt.run([&] {
    const auto f = lease_cores(2, [&] {
      cpu_set_t of_thread;
      std::thread([&] { of_thread = cores_of_thread(); }).join();
      const cpu_set_t inside = cores_of_thread();
      CHECK(CPU_COUNT(&inside) == expected);
      CHECK(CPU_EQUAL(&inside, &of_thread));
      const auto waits = async(on(worker(this_worker())), [] { return cores_of_thread(); });
      const cpu_set_t meanwhile = waits.get();
      CHECK(CPU_EQUAL(&meanwhile, &all));
      const cpu_set_t again = cores_of_thread();
      CHECK(CPU_EQUAL(&inside, &again));
    });
    f.get();
    for (std::uint32_t i = 0; i < 3; ++i) {
      const cpu_set_t after_lease = async(on(worker(i)), [] { return cores_of_thread(); }).get();
      CHECK(CPU_EQUAL(&after_lease, &all));
    }
  });
}

TEST_CASE("OpenMP has as many threads as the lease has cores, and each may use these cores only") {
  if (base::thread_sanitizer) return;  // it does not see what orders the threads of libgomp
  const openmp omp;
  if (!omp.library) {
    MESSAGE("libgomp.so.1 is not on this machine");
    return;
  }
  runtime rt({.workers = 3});
  rt.run([&] {
    std::vector<int> usual(3);
    for (std::uint32_t i = 0; i < 3; ++i) async(on(worker(i)), [&, i] { usual[i] = omp.count(); }).get();
    for (const std::uint32_t cores : {1u, 3u, 2u, 3u})
      lease_cores(cores, [&] {
        CHECK(omp.count() == static_cast<int>(cores));
        struct region {
          const cpu_set_t allowed;
          std::atomic<std::uint32_t> threads{0}, others{0};
        } seen{cores_of_thread()};
        omp.function<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel")(
            [](void* self) {
              auto& r = *static_cast<region*>(self);
              const cpu_set_t mine = cores_of_thread();
              ++r.threads;
              if (!CPU_EQUAL(&mine, &r.allowed)) ++r.others;
            },
            &seen, 0, 0);
        CHECK(seen.threads == cores);
        CHECK(seen.others == 0);
        const auto waits = async(on(worker(this_worker())), [&] { return omp.count(); });
        CHECK(waits.get() == usual[this_worker()]);
        CHECK(omp.count() == static_cast<int>(cores));
      }).get();
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(async(on(worker(i)), [&] { return omp.count(); }).get() == usual[i]);
  });
}

TEST_CASE("a lease gets the cores of its workers, then those that no other worker uses") {
  using sched::choose_cores;
  const cpu_set_t allowed = cores_numbered({0, 2, 3, 4, 5});
  const auto is = [](cpu_set_t a, const cpu_set_t& b) { return CPU_EQUAL(&a, &b) != 0; };
  CHECK(is(choose_cores(2, allowed, std::vector{5, 3}, std::vector{0, 2}), cores_numbered({3, 5})));
  CHECK(is(choose_cores(2, allowed, std::vector{3, 3}, std::vector{0, 2}), cores_numbered({3, 4})));
  CHECK(is(choose_cores(3, allowed, std::vector{1, -1}, std::vector{0, 2}), cores_numbered({3, 4, 5})));
  CHECK(is(choose_cores(4, allowed, std::vector{-1}, std::vector{0, 2}), cores_numbered({0, 3, 4, 5})));
  CHECK(is(choose_cores(9, allowed, std::vector{4}, std::vector<int>{}), allowed));
}
