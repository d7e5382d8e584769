// failed_start_test.cpp - a runtime that cannot be made says why and leaves nothing behind.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stretto/stretto.hpp>

#include "base/config.hpp"

using namespace stretto;

TEST_CASE("a runtime without memory for its stacks is refused, and the next one starts") {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    try {
      runtime rt({.workers = 2, .stack_bytes = std::uint64_t{1} << 48});  // more than there are addresses
    } catch (const error& e) {
      text = e.what();
    }
    CHECK(text.starts_with("error S11: the system has no memory for another task stack"));
  }
  runtime rt({.workers = 2});
  CHECK(rt.node() == 0);
  CHECK(rt.run([] { return async([] { return 42; }).get(); }) == 42);
}

TEST_CASE("a runtime that is refused keeps no number") {
  const auto number_of_next = [] { return runtime({.workers = 1}).node(); };
  const std::uint32_t before = number_of_next();
  for (int i = 0; i < 3; ++i) CHECK_THROWS(runtime({.workers = 1, .devices = "sim(memory=never)"}));
  CHECK(number_of_next() == before);
}

TEST_CASE("a runtime for whose workers the system has no threads is refused") {
  if (base::address_sanitizer || base::thread_sanitizer) return;  // which need the addresses themselves
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Stacks so large that what else a runtime needs is little beside them: some 60 fit into the addresses, not 200.
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 30);
    pthread_setattr_default_np(&attributes);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{64} << 30);
    const rlimit addresses{bytes, bytes};
    setrlimit(RLIMIT_AS, &addresses);
    int status = 1;
    try {
      runtime rt({.workers = 200, .stack_bytes = 16 << 10});
    } catch (const error& e) {
      const std::string text = e.what();
      if (text.starts_with("error S10: the system cannot create a thread for worker ") &&
          text.find(" of 200\n") != text.npos && text.find("\n  try         ask for fewer workers") != text.npos)
        status = 0;
      else std::fprintf(stderr, "%s\n", e.what());
    } catch (const std::bad_alloc&) {
      status = 2;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
