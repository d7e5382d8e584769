#include "base/thread_stack.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/config.hpp"
#include "base/passive_thread.hpp"
#include "base/sleeping_thread.hpp"
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
    while (!ends) std::this_thread::yield();
    asm volatile("");  // the call above is not the last
  }
  std::atomic<int> number{0};
  std::atomic<bool> ends{false};
  std::thread thread{[this] { stand_here_and_wait(); }};
};

/// A thread that waits for a byte in a pipe.
class polling_thread {
 public:
  polling_thread() {
    REQUIRE(pipe(ends_) == 0);
    thread_ = std::thread([this] { poll_here(ends_[0]); });
    while (!number) std::this_thread::yield();
  }
  polling_thread(const polling_thread&) = delete;
  ~polling_thread() {
    result_of_poll();
    for (const int end : ends_) close(end);
  }
  /// Writes the byte.
  int result_of_poll() {
    if (thread_.joinable()) {
      CHECK(write(ends_[1], "", 1) == 1);
      thread_.join();
    }
    return result_;
  }
  [[gnu::noinline]] void poll_here(int from) {
    number = gettid();
    pollfd awaited{from, POLLIN, 0};
    result_ = poll(&awaited, 1, -1);
    asm volatile("");  // the call above is not the last
  }
  std::atomic<int> number{0};

 private:
  int ends_[2] = {};
  int result_ = 0;
  std::thread thread_;
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

TEST_CASE("a thread that sleeps in the kernel shows its stack and does not wake") {
  if (!x86_64) return;  // elsewhere the stack is not searched
  polling_thread one;
  std::string all;
  const bool is_found = stretto::test::eventually([&] { return all.find("poll_here(int)") != all.npos; },
                                                  [&] {
                                                    all.clear();
                                                    for (const auto& name : names_of_code(stack_of_thread(one.number)))
                                                      all += name + "\n";
                                                  });
  CAPTURE(all);
  CHECK(is_found);
  const auto sleep = read_sleep(one.number);
  REQUIRE(sleep);
  CHECK(name_of_call(*sleep).find("poll") != std::string::npos);
  CHECK(read_sleep(one.number) == sleep);
  CHECK(used_by_thread(one.number));
  CHECK(one.result_of_poll() == 1);  // a signal would have made it -1
}

TEST_CASE("a thread that runs does not sleep, and a thread of another process is unknown") {
  standing one;
  CHECK(!read_sleep(one.number));
  CHECK(!read_sleep(1));
  CHECK(!used_by_thread(1));
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
