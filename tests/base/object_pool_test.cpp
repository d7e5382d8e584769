#include "base/object_pool.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/config.hpp"

namespace stretto::base {
namespace {

TEST_CASE("a thread reuses the blocks that it has freed, and blocks in use do not overlap") {
  using blocks = object_pool<200>;
  void* const first = blocks::allocate();
  std::memset(first, 0xff, 200);
  blocks::free(first);
  void* const second = blocks::allocate();
  if (!address_sanitizer && !thread_sanitizer) CHECK(second == first);
  std::set<std::byte*> used{static_cast<std::byte*>(second)};
  for (int i = 0; i < 1000; ++i) {
    auto* const b = static_cast<std::byte*>(blocks::allocate());
    std::memset(b, i % 256, 200);
    const auto at = used.insert(b);
    REQUIRE(at.second);
    if (at.first != used.begin()) REQUIRE(b - *std::prev(at.first) >= 200);
    if (std::next(at.first) != used.end()) REQUIRE(*std::next(at.first) - b >= 200);
  }
  for (std::byte* const b : used) blocks::free(b);
}

struct counted_object {
  explicit counted_object(int& n) : alive(n) { ++alive; }
  counted_object(const counted_object&) = delete;
  ~counted_object() { --alive; }
  int& alive;
  std::byte room[100];
};

TEST_CASE("shared objects in pooled memory are destroyed once, by any last owner") {
  int alive = 0;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<counted_object>> all;
    for (int i = 0; i < 500; ++i)
      all.push_back(std::allocate_shared<counted_object>(pool_allocator<counted_object>(), alive));
    CHECK(alive == 500);
    std::thread([mine = std::move(all)]() mutable { mine.clear(); }).join();
    CHECK(alive == 0);
  }
}

/// Outlives what its thread has kept, as it was begun before that.
struct last_words {
  ~last_words() {
    if (block) object_pool<320>::free(block);
    object_pool<320>::free(object_pool<320>::allocate());
  }
  void* block = nullptr;
};
thread_local last_words at_the_end;

TEST_CASE("a thread that ends frees and takes what it needs, after it has given back what it kept") {
  for (int i = 0; i < 5; ++i)
    std::thread([] {
      at_the_end.block = nullptr;
      at_the_end.block = object_pool<320>::allocate();
    }).join();
  void* const block = object_pool<320>::allocate();
  CHECK(block != nullptr);
  object_pool<320>::free(block);
}

}  // namespace
}  // namespace stretto::base
