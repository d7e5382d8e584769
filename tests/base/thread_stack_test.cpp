#include "base/thread_stack.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/config.hpp"
#include "base/passive_thread.hpp"
#include "eventually.hpp"

using namespace stretto::base;

namespace {

/// A thread that stands in a function of known name until it may end.
class standing {
 public:
  standing() {
    while (!number) std::this_thread::yield();
  }
  ~standing() {
    ends = true;
    thread.join();
  }
  [[gnu::noinline]] void stand_here_and_wait() {
    number = gettid();
    while (!ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    asm volatile("");  // the call above is not the last
  }
  std::atomic<int> number{0};
  std::atomic<bool> ends{false};
  std::thread thread{[this] { stand_here_and_wait(); }};
};

void handler_of_the_program(int) {}

}  // namespace

TEST_CASE("another thread's stack is told by the names of functions") {
  standing one;
  std::string all;
  // On a busy machine the thread may not reply in time.
  const bool is_found = stretto::test::eventually([&] { return all.find("stand_here_and_wait()") != all.npos; },
                                                  [&] {
                                                    all.clear();
                                                    for (const auto& name : names_of_code(stack_of_thread(one.number)))
                                                      all += name + "\n";
                                                  });
  CAPTURE(all);
  CHECK(is_found);
  CHECK(all.find("stack_of_thread") == all.npos);
}

TEST_CASE("a stack is not asked for where the program handles the signal itself, and of no thread that is not there") {
  standing one;
  const auto before = ::signal(SIGWINCH, handler_of_the_program);
  CHECK(stack_of_thread(one.number).empty());
  struct sigaction now {};
  sigaction(SIGWINCH, nullptr, &now);
  CHECK((now.sa_handler == handler_of_the_program));
  ::signal(SIGWINCH, before);
  CHECK(stack_of_thread(1).empty());  // of another process
}

TEST_CASE("an address outside all code is told as it is") {
  const void* const nowhere = reinterpret_cast<const void*>(16);
  CHECK(names_of_code({&nowhere, 1}) == std::vector<std::string>{"0x10"});
}

TEST_CASE("passive threads are counted while they live") {
  const auto before = passive_thread::count();
  {
    const passive_thread one;
    CHECK(passive_thread::count() == before + 1);
  }
  CHECK(passive_thread::count() == before);
}
