// A running task's stack can be unwound, even in the middle of a switch to another stack.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "../campaign.hpp"
#include "base/thread_stack.hpp"
#include "sched/context/switch.hpp"

using namespace stretto;

namespace {

struct alignas(64) small_stack {
  std::byte bytes[64 << 10];
};
small_stack other;
sched::saved_stack home, there;

void come_back() {
  for (;;) sched::switch_stack(&there, home);
}

/// Switches to fresh stacks and to suspended ones, and back.
[[gnu::noinline]] void switch_all_the_time(const std::atomic<bool>& ends) {
  while (!ends) {
    there = sched::prepare_stack(&other, sizeof other, come_back);
    for (int i = 0; i < 4; ++i) sched::switch_stack(&home, there);
  }
}

}  // namespace

TEST_CASE("a thread that only switches stacks can be unwound at each instruction") {
  if (base::thread_sanitizer || base::address_sanitizer) return;  // they delay signals, and do not know such stacks
  std::atomic<bool> ends = false;
  std::atomic<int> number = 0;
  std::thread switching([&] {
    number = gettid();
    switch_all_the_time(ends);
  });
  while (!number) std::this_thread::yield();
  int answers = 0, whole = 0;
  for (int i = 0; i < test::scaled(2'000, 200'000); ++i) {
    const auto stack = base::stack_of_thread(number);
    answers += !stack.empty();
    whole += std::ranges::any_of(base::names_of_code(stack), [](const std::string& name) {
      return name.find("switch_all_the_time") != name.npos || name.find("come_back") != name.npos;
    });
  }
  ends = true;
  switching.join();
  CAPTURE(answers);
  CHECK(answers > 0);
  CHECK(whole > answers * 9 / 10);
}
