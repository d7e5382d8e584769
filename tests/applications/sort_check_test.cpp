#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "modules/isx/isx_keys.hpp"

using namespace isx;

namespace {

// One PE sorts its own keys.
struct sorted {
  problem p = problem::weak(10, 16, 0, 1);
  std::vector<key> drawn = std::vector<key>(p.keys_per_pe), came;
  std::vector<std::uint32_t> counters = std::vector<std::uint32_t>(p.range());

  sorted() {
    draw(p, 0, drawn);
    came = drawn;
    count_keys(p, came, counters, counting::alone);
  }
  std::string fault() const { return fault_of(p, verify(p, drawn, came, counters)); }
};

}  // namespace

TEST_CASE("a right sort passes") { CHECK(sorted().fault().empty()); }

TEST_CASE("a lost key is found") {
  sorted s;
  s.came.pop_back();
  CHECK(s.fault() == "1023 keys came, of 1024");
}

TEST_CASE("a key that was changed is found") {
  sorted s;
  s.came.front() ^= 1;
  CHECK(s.fault() == "the keys that came are not those that were drawn");
}

TEST_CASE("a counter that is wrong is found") {
  sorted s;
  const auto used = std::find_if(s.counters.begin(), s.counters.end(), [](auto n) { return n > 0; });
  --*used;
  CHECK(s.fault() == "1 keys or counters are wrong");
  ++*(used == s.counters.begin() ? used + 1 : used - 1);  // the number is right, the key is not
  CHECK(s.fault() == "1 keys or counters are wrong");
}

TEST_CASE("a key on another PE than that of its range is found") {
  const problem second = problem::weak(10, 16, 1, 2);
  CHECK(verify(second, {}, std::vector<key>{second.first_key()}, {}).faults == 1);  // no counter has it
  CHECK(verify(second, {}, std::vector<key>{second.first_key() - 1}, {}).faults == 2);
}

TEST_CASE("keys of other ranges are not counted") {
  const problem second = problem::weak(10, 16, 1, 2);
  std::vector<std::uint32_t> counters(second.range());
  for (const counting how : {counting::alone, counting::shared})
    count_keys(second, std::vector<key>{0, second.first_key() - 1, 0xffffffff}, counters, how);
  CHECK(std::all_of(counters.begin(), counters.end(), [](auto n) { return n == 0; }));
}

TEST_CASE("the keys of a PE are the same in pieces") {
  const problem p = problem::weak(10, 20, 3, 4);
  std::vector<key> whole(1000), pieces(1000);
  draw(p, 0, whole);
  for (const auto& [first, last] : {std::pair{0, 1}, {1, 257}, {257, 1000}})
    draw(p, first, std::span(pieces).subspan(first, last - first));
  CHECK(pieces == whole);
  CHECK(*std::max_element(whole.begin(), whole.end()) < 1u << 20);
}

TEST_CASE("different PEs have different keys") {
  std::vector<key> one(100), other(100);
  draw(problem::weak(10, 28, 0, 2), 0, one);
  draw(problem::weak(10, 28, 1, 2), 0, other);
  CHECK(one != other);
}

TEST_CASE("buckets hold the keys of their ranges") {
  const problem p = problem::weak(12, 16, 0, 3);
  std::vector<key> drawn(p.keys_per_pe), buckets(p.keys_per_pe);
  draw(p, 0, drawn);
  std::vector<std::size_t> sizes(3);
  count_buckets(p, drawn, sizes);
  CHECK(std::reduce(sizes.begin(), sizes.end()) == p.keys_per_pe);
  auto next = begins(sizes);
  fill_buckets(p, drawn, next, buckets);
  std::size_t i = 0;
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t n = 0; n < sizes[b]; ++n) CHECK(buckets[i++] / p.range() == b);
}

TEST_CASE("more keys than a PE has capacity for are refused") {
  const problem p = problem::weak(10, 16, 0, 1);
  CHECK_NOTHROW(check_capacity(p, p.capacity()));
  CHECK_THROWS_AS(check_capacity(p, p.capacity() + 1), std::length_error);
}
