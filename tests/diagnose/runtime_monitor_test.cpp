#include <doctest/doctest.h>

#include <csignal>

#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

namespace {

volatile std::sig_atomic_t handled = 0;
void count(int) { handled = handled + 1; }

auto handler_now() {
  struct sigaction present;
  sigaction(SIGUSR1, nullptr, &present);
  return present.sa_handler;
}

}  // namespace

TEST_CASE("a SIGUSR1 handler that was installed before is called too, and restored after the last runtime") {
  const auto before = std::signal(SIGUSR1, count);
  {
    stretto::runtime one({.workers = 1});
    stretto::runtime two({.workers = 1});
    CHECK((handler_now() != count));
    handled = 0;
    std::raise(SIGUSR1);
    CHECK(handled == 1);
  }
  CHECK((handler_now() == count));
  std::signal(SIGUSR1, before);
}

TEST_CASE("a handler for SIGUSR1 that the program sets later is left alone") {
  const auto before = std::signal(SIGUSR1, SIG_IGN);
  {
    stretto::runtime rt({.workers = 1});
    std::signal(SIGUSR1, count);
  }
  CHECK((handler_now() == count));
  std::signal(SIGUSR1, before);
}

TEST_CASE("runtimes start and end while they are monitored") {
  for (int i = 0; i < 50; ++i) {
    stretto::runtime one({.workers = 1}), two({.workers = 2});
    CHECK(one.run([] { return stretto::async([] { return 1; }).get(); }) == 1);
  }
}
