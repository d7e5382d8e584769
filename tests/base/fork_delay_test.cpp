#include "base/fork_delay.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "campaign.hpp"
#include "forked_child.hpp"

namespace stretto::base {
namespace {

// Each delay takes two steps: where none lives, their number is even.
TEST_CASE("a process forks while no delay lives, and its child may have delays") {
  std::atomic<bool> is_over = false;
  std::atomic<unsigned> steps{0};
  std::thread other([&] {
    while (!is_over) {
      const fork_delay here;
      ++steps;
      std::this_thread::yield();
      ++steps;
    }
  });
  const auto finds_none = [&]() -> std::string {
    if (steps % 2 != 0) return "a delay of the parent lives";
    { const fork_delay here; }
    const fork_delay again;
    return "";
  };
  for (int n = 0; n < test::scaled(50, 2000); ++n) CHECK(test::in_forked_child(finds_none) == 0);
  is_over = true;
  other.join();
}

}  // namespace
}  // namespace stretto::base
