#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "trace/ring.hpp"

using namespace stretto::trace;

namespace {

constexpr std::size_t chunk = ring::chunk_records;

// A record whose every field follows from one number, so that a mixture of two shows.
record numbered(std::uint64_t i) {
  return {.start = i,
          .end = i * 3,
          .id = ~i,
          .cause = i << 7,
          .amount = i ^ 0x5555,
          .name = static_cast<name_id>(i),
          .place = static_cast<std::uint16_t>(i),
          .kind = static_cast<kind>(i % kind_count),
          .reserved = static_cast<std::uint8_t>(i * 5)};
}

}  // namespace

TEST_CASE("a ring gives back every field of what was pushed, oldest first") {
  memory_budget budget(ring::chunk_bytes);
  ring r(chunk, budget);
  CHECK(r.read().records.empty());
  for (std::uint64_t i = 0; i < 10; ++i) r.push(numbered(i));
  const auto got = r.read();
  REQUIRE(got.records.size() == 10);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(got.records[i] == numbered(i));
  CHECK(got.overwritten == 0);
  CHECK(r.pushed() == 10);
}

TEST_CASE("a full ring keeps the newest records and counts the others") {
  memory_budget budget(10 * ring::chunk_bytes);
  ring r(2 * chunk, budget);
  for (const std::uint64_t total : {2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 7 * chunk + 5}) {
    while (r.pushed() < total) r.push(numbered(r.pushed()));
    const auto got = r.read();
    CHECK(got.overwritten + got.records.size() == total);
    CHECK(got.records.size() == 2 * chunk - 1);
    for (std::size_t i = 0; i < got.records.size(); ++i) REQUIRE(got.records[i] == numbered(got.overwritten + i));
  }
  CHECK(budget.used() == 2 * ring::chunk_bytes);
}

TEST_CASE("rings grow while the shared budget lasts, then each overwrites its own oldest") {
  memory_budget budget(5 * ring::chunk_bytes);
  {
    ring a(100 * chunk, budget), b(100 * chunk, budget);
    for (std::uint64_t i = 0; i < 3 * chunk; ++i) a.push(numbered(i));
    for (std::uint64_t i = 0; i < 10 * chunk; ++i) b.push(numbered(i));
    for (std::uint64_t i = 3 * chunk; i < 10 * chunk; ++i) a.push(numbered(i));
    CHECK(budget.used() == 5 * ring::chunk_bytes);
    CHECK(a.read().records.size() == 3 * chunk - 1);
    CHECK(b.read().records.size() == 2 * chunk - 1);
    CHECK(a.read().records.back() == numbered(10 * chunk - 1));
    CHECK(b.read().records.front() == numbered(8 * chunk + 1));
  }
  CHECK(budget.used() == 0);
}

TEST_CASE("a ring has one chunk even if the budget has none") {
  memory_budget budget(0);
  ring r(8 * chunk, budget);
  for (std::uint64_t i = 0; i < 2 * chunk; ++i) r.push(numbered(i));
  CHECK(r.read().records.size() == chunk - 1);
  CHECK(budget.used() == 0);
}

TEST_CASE("a reader beside a busy writer sees whole, consecutive records only") {
  for (const std::size_t chunks : {1, 3}) {
    memory_budget budget(chunks * ring::chunk_bytes);
    ring r(100 * chunk, budget);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      for (std::uint64_t i = 0; !stop.load(std::memory_order_relaxed); ++i) r.push(numbered(i));
    });
    bool whole = true;
    for (int reads = 0; reads < 1000 || r.pushed() < 20 * chunk; ++reads) {
      const auto got = r.read();
      for (std::size_t i = 0; i < got.records.size(); ++i)
        whole = whole && got.records[i] == numbered(got.overwritten + i);
    }
    stop = true;
    writer.join();
    CHECK(whole);
  }
}
