#include "base/fork_reset.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>

#include "base/node_numbers.hpp"
#include "base/process_wide.hpp"
#include "forked_child.hpp"

namespace stretto::base {
namespace {

struct registry {
  std::mutex mutex;
  int entries = 0;
};
registry& of_process() {
  static registry& one = make_process_wide<registry>();
  return one;
}

std::atomic<int> children{0};
const fork_reset counted([]() noexcept { ++children; });

TEST_CASE("a forked child begins anew what another thread has locked and changed, and its parent goes on with it") {
  registry& r = of_process();
  const std::scoped_lock lock(r.mutex);
  r.entries = 3;
  const auto is_fresh = [&]() -> std::string {
    if (r.entries != 0) return "it holds what the parent's holds";
    if (!r.mutex.try_lock()) return "it is locked";
    return children == 1 ? "" : "one of the resets was not done once";
  };
  CHECK(test::in_forked_child(is_fresh) == 0);
  CHECK(test::in_forked_child(is_fresh) == 0);
  CHECK(r.entries == 3);
  CHECK(children == 0);
}

TEST_CASE("a forked child does not give a node number of its parent's to a runtime of its own") {
  const auto first = allocate_node_number();
  REQUIRE(first);
  CHECK(test::in_forked_child([&]() -> std::string { return allocate_node_number() == *first ? "it did" : ""; }) == 0);
  release_node_numbers(*first, 1);
}

}  // namespace
}  // namespace stretto::base
