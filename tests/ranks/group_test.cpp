#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/group_operations.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::comparison, ranks::group, ranks::world_rank, test::thrown_class;

namespace {

using members = std::vector<int>;

group group_of(const members& numbers) {
  std::vector<world_rank> all;
  for (const int number : numbers) all.push_back(world_rank(number));
  return group(all);
}

members members_of(const group& all) {
  members numbers;
  for (int rank = 0; rank < all.size(); ++rank) numbers.push_back(static_cast<int>(all[rank]));
  return numbers;
}

bool has(const members& all, int number) { return std::ranges::find(all, number) != all.end(); }

/// Groups of a world of 24 ranks: at regular distances, or in any order.
class random_groups {
 public:
  explicit random_groups(std::uint64_t seed) : random_(seed) {}

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  members next() {
    members all(24);
    std::iota(all.begin(), all.end(), 0);
    if (number(0, 2) == 0) {
      const int first = number(0, 23), stride = number(1, 5);
      std::erase_if(all, [&](int rank) { return rank < first || (rank - first) % stride != 0; });
      if (number(0, 1) == 0) std::ranges::reverse(all);
    } else {
      std::ranges::shuffle(all, random_);
      all.resize(static_cast<std::size_t>(number(0, 24)));
    }
    return all;
  }

  /// Some ranks of a group with `size` members, in any order.
  members ranks(int size) {
    members all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::shuffle(all, random_);
    all.resize(static_cast<std::size_t>(number(0, size)));
    return all;
  }

 private:
  std::mt19937_64 random_;
};

void check_queries(const members& model) {
  const group all = group_of(model);
  REQUIRE(all.size() == std::ssize(model));
  CHECK(members_of(all) == model);
  for (int number = -1; number < 30; ++number) {
    const auto found = std::ranges::find(model, number);
    const auto rank = all.rank_of(world_rank(number));
    REQUIRE(rank.has_value() == (found != model.end()));
    if (rank) CHECK(*rank == found - model.begin());
  }
}

void check_set_operations(const members& a, const members& b) {
  members both = a, common, only_a;
  for (const int number : b) {
    if (!has(a, number)) both.push_back(number);
  }
  for (const int number : a) (has(b, number) ? common : only_a).push_back(number);
  CHECK(members_of(union_of(group_of(a), group_of(b))) == both);
  CHECK(members_of(intersection_of(group_of(a), group_of(b))) == common);
  CHECK(members_of(difference_of(group_of(a), group_of(b))) == only_a);
  CHECK((group_of(a) == group_of(b)) == (a == b));
  members sorted_a = a, sorted_b = b;
  std::ranges::sort(sorted_a);
  std::ranges::sort(sorted_b);
  const comparison expected = a == b                 ? comparison::identical
                              : sorted_a == sorted_b ? comparison::similar
                                                     : comparison::unequal;
  CHECK(compare(group_of(a), group_of(b)) == expected);
}

void check_selection(const members& all, const members& ranks) {
  members chosen, others;
  for (const int rank : ranks) chosen.push_back(all[static_cast<std::size_t>(rank)]);
  for (const int number : all) {
    if (!has(chosen, number)) others.push_back(number);
  }
  CHECK(members_of(included(group_of(all), ranks)) == chosen);
  CHECK(members_of(excluded(group_of(all), ranks)) == others);
}

void check_translation(const members& from, const members& ranks, const members& to) {
  members translated(ranks.size(), 99);
  translate_ranks(group_of(from), ranks, group_of(to), translated);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto found = std::ranges::find(to, from[static_cast<std::size_t>(ranks[i])]);
    CHECK(translated[i] == (found == to.end() ? ranks::no_rank : static_cast<int>(found - to.begin())));
  }
}

std::vector<ranks::group_range> ranges(std::initializer_list<ranks::group_range> all) { return all; }

}  // namespace

TEST_CASE("operations on groups are those on lists of ranks") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(1000, 50'000); ++seed) {
    CAPTURE(seed);
    random_groups random(seed);
    const members a = random.next(), b = random.next();
    check_queries(a);
    check_set_operations(a, b);
    check_set_operations(a, a);
    const members ranks = random.ranks(static_cast<int>(a.size()));
    check_selection(a, ranks);
    check_translation(a, ranks, b);
  }
}

TEST_CASE("a reordered group is similar to the original") {
  CHECK(compare(group_of({1, 2, 3}), group_of({3, 2, 1})) == comparison::similar);
  CHECK(compare(group_of({5, 1, 2}), group_of({1, 5, 2})) == comparison::similar);
}

TEST_CASE("ranges count up or down, and need not meet their last rank") {
  const group world(world_rank{0}, 10);
  CHECK(members_of(ranges_included(world, ranges({{1, 6, 2}, {9, 7, -1}}))) == members{1, 3, 5, 9, 8, 7});
  CHECK(members_of(ranges_included(world, ranges({{4, 4, 3}, {5, 5, -1}}))) == members{4, 5});
  CHECK(members_of(ranges_included(world, ranges({{0, 11, 4}}))) == members{0, 4, 8});
  CHECK(members_of(ranges_excluded(world, ranges({{1, 9, 2}}))) == members{0, 2, 4, 6, 8});
  CHECK(members_of(ranges_included(world, {})).empty());
  CHECK(members_of(ranges_excluded(world, {})).size() == 10);
}

TEST_CASE("erroneous ranks and ranges are refused") {
  using enum ranks::error_class;
  const ranks::group world(world_rank{0}, 10);
  const auto includes = [&](members ranks) { return thrown_class([&] { included(world, ranks); }); };
  CHECK(includes({0, 9}) == success);
  CHECK(includes({10}) == rank);
  CHECK(includes({-1}) == rank);
  CHECK(includes({3, 4, 3}) == rank);
  CHECK(thrown_class([&] { excluded(world, members{2, 2}); }) == rank);
  const auto range = [&](ranks::group_range one) {
    return thrown_class([&] { ranges_included(world, ranges({one})); });
  };
  CHECK(range({0, 9, 0}) == argument);
  CHECK(range({0, 9, -1}) == argument);
  CHECK(range({9, 0, 1}) == argument);
  CHECK(range({0, 10, 1}) == rank);
  CHECK(range({-1, 3, 1}) == rank);
  CHECK(range({0, 2'000'000'000, 2'000'000'000}) == rank);
  CHECK(thrown_class([&] { ranges_included(world, ranges({{0, 4, 2}, {4, 5, 1}})); }) == rank);
  CHECK(thrown_class([] { group_of({1, 2, 1}); }) == rank);
  CHECK(thrown_class([] { group_of({1, 1}); }) == rank);
}

TEST_CASE("the rank of no process stays so in translation") {
  const group world(world_rank{0}, 4);
  members translated(2);
  translate_ranks(world, members{ranks::null_process, 3}, group_of({3}), translated);
  CHECK(translated == members{ranks::null_process, 0});
  CHECK(thrown_class([&] { translate_ranks(world, members{4, 0}, world, translated); }) == ranks::error_class::rank);
}
