// A running task's stack can be unwound, even in the middle of a switch to another stack.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

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
  std::vector<std::vector<const void*>> stacks;
  std::set<const void*> distinct;
  for (int i = 0; i < test::scaled(2'000, 200'000); ++i) {
    stacks.push_back(base::stack_of_thread(number));
    distinct.insert(stacks.back().begin(), stacks.back().end());
  }
  ends = true;
  switching.join();

  // To name code takes the program's whole table of symbols: once for all stacks.
  const std::vector<const void*> code(distinct.begin(), distinct.end());
  const std::vector<std::string> names = base::names_of_code(code);
  std::set<const void*> known;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (names[i].find("switch_all_the_time") != std::string::npos || names[i].find("come_back") != std::string::npos)
      known.insert(code[i]);
  const auto is_known = [&](const void* address) { return known.contains(address); };
  const auto answers = std::ranges::count_if(stacks, [](const auto& stack) { return !stack.empty(); });
  const auto whole = std::ranges::count_if(stacks, [&](const auto& s) { return std::ranges::any_of(s, is_known); });
  CAPTURE(answers);
  CHECK(answers > 0);
  CHECK(whole > answers * 9 / 10);
}
