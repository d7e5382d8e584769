// The life of a runtime: static ones, exit(), fork(), attachments, runtimes in tasks. docs/guide/lifetime.md is the
// law.
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/child_process.hpp"
#include "base/config.hpp"
#include "campaign.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

int sum_of_tasks(int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += async([i] { return i; }).get();
  return sum;
}

/// Runs the test case of that name in a process of its own. Objects on the stack of the test runner, which
/// exit() leaves, are no leak.
base::child_end by_itself(const std::string& test_case, const std::string& devices = "") {
  return base::run_child(
      {.arguments = {std::filesystem::read_symlink("/proc/self/exe").string(), "--no-skip", "--test-case=" + test_case},
       .environment = {"STRETTO_DEVICES=" + devices, "ASAN_OPTIONS=detect_leaks=0"},
       .limit = std::chrono::minutes(2)});
}

TEST_CASE("a runtime in a task of another is refused, and the other goes on") {
  for (const unsigned workers : {1u, 2u}) {
    runtime rt({.workers = workers});
    rt.run([] {
      CHECK(test::error_of([] { runtime inner({.workers = 1}); }).code() == "S15");
      CHECK(sum_of_tasks(10) == 45);
    });
    std::thread([&] {
      const attached_thread here(rt);
      CHECK(test::error_of([] { runtime inner({.workers = 1}); }).code() == "S15");
      CHECK(sum_of_tasks(10) == 45);
    }).join();
  }
}

TEST_CASE("the end of a runtime waits for threads that are attached, whatever they do") {
  for (const unsigned workers : {1u, 2u, 4u})
    for (int round = 0; round < 20; ++round) {
      auto rt = std::make_unique<runtime>(runtime_options{.workers = workers});
      std::atomic<int> attached = 0;
      int sum = 0;
      std::thread submits([&] {
        const attached_thread here(*rt);
        ++attached;
        sum = sum_of_tasks(200);
      });
      std::thread sleeps([&] {
        const attached_thread here(*rt);
        ++attached;
        for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      });
      while (attached < 2) std::this_thread::yield();
      rt.reset();
      submits.join();
      sleeps.join();
      CHECK(sum == 199 * 100);
    }
}

TEST_CASE("an attached thread that waits for what nobody will trigger is woken at the end of the runtime") {
  for (const unsigned workers : {1u, 2u})
    for (int threads = 1; threads <= 3; ++threads) {
      std::optional<runtime> rt(std::in_place, runtime_options{.workers = workers});
      std::atomic<int> attached = 0, woken = 0;
      std::vector<std::thread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
          const attached_thread here(*rt);
          auto e = user_event::create();
          ++attached;
          woken += test::error_of([&] { wait(e); }).code() == "E14";
        });
      while (attached < threads) std::this_thread::yield();
      rt.reset();
      for (auto& t : all) t.join();
      CHECK(woken == threads);
    }
}

TEST_CASE("attaching to a runtime that has ended is refused") {
  alignas(runtime) std::byte memory[sizeof(runtime)];
  auto* const rt = new (memory) runtime({.workers = 1});
  rt->~runtime();
  CHECK(test::error_of([&] { const attached_thread here(*rt); }).code() == "S17");
}

TEST_CASE("threads attach to the first and the last of many runtimes") {
  std::vector<std::unique_ptr<runtime>> all;
  for (int n = 0; n < 20; ++n) all.push_back(std::make_unique<runtime>(runtime_options{.workers = 1}));
  for (runtime* rt : {all.front().get(), all.back().get()})
    std::thread([&] {
      const attached_thread here(*rt);
      CHECK(sum_of_tasks(3) == 3);
    }).join();
}

// A forked child of a process that ThreadSanitizer watches may not start threads.
const bool may_fork = !base::thread_sanitizer;
// AddressSanitizer of GCC 12 does not unlock its allocator in a child: a child that allocates may wait for ever for a
// lock that another thread of its parent held at the fork.
const bool may_fork_beside_threads = may_fork && !base::address_sanitizer;

int code_of_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_CASE("a forked child leaves its parent's runtime alone, may have its own, and is refused the parent's" *
          doctest::skip(!may_fork)) {
  for (const char* devices : {"", "sim:2"}) {
    auto rt = std::make_unique<runtime>(runtime_options{.workers = 2, .devices = devices});
    rt->run([] { async([] {}).get(); });
    CHECK(code_of_child([&] { return rt.reset(), 7; }) == 7);
    CHECK(code_of_child([&] { return test::error_of([&] { rt->run([] {}); }).code() == "S16" ? 8 : 1; }) == 8);
    CHECK(code_of_child(
              [&] { return test::error_of([&] { const attached_thread here(*rt); }).code() == "S16" ? 9 : 1; }) == 9);
    CHECK(rt->run([] { return sum_of_tasks(10); }) == 45);
  }
}

TEST_CASE("a child that is forked while another thread starts and ends runtimes has all that its own runtime needs" *
          doctest::skip(!may_fork_beside_threads)) {
  const auto lives = [] {
    runtime own({.workers = 2, .devices = "sim:2"});
    return own.run([] { return sum_of_tasks(10); }) == 45;
  };
  CHECK(lives());
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over) lives();
  });
  for (int n = 0; n < test::scaled(60, 3000); ++n)
    CHECK(code_of_child([&] {
            ::alarm(100);  // a lock that is never released would block it for ever
            return lives() && lives() ? 7 : 1;
          }) == 7);
  is_over = true;
  other.join();
}

TEST_CASE("(by itself) exit in a task of a static runtime" * doctest::skip()) {
  static runtime rt({.workers = 2});
  rt.run([] { async(on(worker(1)), [] { std::exit(3); }).get(); });
}
TEST_CASE("(by itself) exit in the body of run" * doctest::skip()) {
  static runtime rt({.workers = 2});
  rt.run([] { std::exit(3); });
}
TEST_CASE("(by itself) exit on another thread while one is inside run" * doctest::skip()) {
  static runtime rt({.workers = 2});
  std::atomic<bool> is_inside = false;
  std::thread([&] {
    while (!is_inside) std::this_thread::yield();
    std::exit(3);
  }).detach();
  rt.run([&] {
    is_inside = true;
    for (;;) async([] {}).get();
  });
}
TEST_CASE("(by itself) exit on an attached thread" * doctest::skip()) {
  static runtime rt({.workers = 2});
  std::thread([] {
    const attached_thread here(rt);
    std::exit(3);
  }).join();
}
TEST_CASE("(by itself) exit between two runs" * doctest::skip()) {
  static runtime rt({.workers = 2});
  rt.run([] { async([] {}).get(); });
  std::exit(3);
}

TEST_CASE("exit ends a program with its code, wherever it is called and a static runtime is") {
  for (const char* where :
       {"exit in a task of a static runtime", "exit in the body of run",
        "exit on another thread while one is inside run", "exit on an attached thread", "exit between two runs"})
    for (const char* devices : {"", "sim"}) {
      const auto end = by_itself(std::string("(by itself) ") + where, devices);
      INFO(std::string(where));
      CAPTURE(end.errors);
      CHECK(end.to_text() == "ended with exit code 3");
    }
}

}  // namespace
}  // namespace stretto
