#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/communicator_groups.hpp"
#include "ranks/communicators/members_table.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::communicator, ranks::communicator_members, ranks::comparison, ranks::communicator_number, ranks::group,
    ranks::split_choice, ranks::world_rank, test::thrown_class;

namespace {

group world_of(int size) { return group(world_rank{0}, size); }

group listed_group(const std::vector<int>& numbers) {
  std::vector<world_rank> all;
  for (const int number : numbers) all.push_back(world_rank(number));
  return group(all);
}

std::shared_ptr<const communicator_members> shared(communicator_members members) {
  return std::make_shared<const communicator_members>(std::move(members));
}

communicator_members intra(std::uint32_t number, const group& local) {
  return {communicator_number{number}, local, {}, {}};
}

}  // namespace

TEST_CASE("a split orders the ranks of a color by key and rank") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(500, 20'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<int> order(1 + random() % 12);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::ranges::shuffle(order, random);
    const group parent = listed_group(order);
    std::vector<split_choice> choices;
    std::map<int, std::vector<std::pair<std::pair<int, int>, int>>> model;  // color: ((key, rank), member)
    for (int rank = 0; rank < parent.size(); ++rank) {
      const int color = random() % 4 == 0 ? ranks::no_rank : static_cast<int>(random() % 3);
      choices.push_back({color, static_cast<int>(random() % 5) - 2});
      model[color].push_back({{choices.back().key, rank}, static_cast<int>(parent[rank])});
    }
    for (auto& [color, entries] : model) {
      std::ranges::sort(entries);
      std::vector<int> members;
      for (const auto& entry : entries) members.push_back(entry.second);
      CHECK(split_group(parent, choices, color) == (color == ranks::no_rank ? group() : listed_group(members)));
    }
  }
}

TEST_CASE("negative colors are refused, but for MPI_UNDEFINED") {
  using enum ranks::error_class;
  CHECK(thrown_class([] { ranks::check_color(0); }) == success);
  CHECK(thrown_class([] { ranks::check_color(-1); }) == argument);
  CHECK(thrown_class([] { ranks::check_color(ranks::no_rank); }) == success);
}

TEST_CASE("a split by type follows the nodes") {
  using enum ranks::split_kind;
  const std::vector<int> two{0, 0, 1}, one{5, 5};
  CHECK(type_color(shared_memory, two, 2, nullptr) == 1);
  CHECK(type_color(hardware_unguided, two, 0, nullptr) == 0);
  CHECK(type_color(hardware_unguided, one, 0, nullptr) == ranks::no_rank);
  CHECK(type_color(hardware_guided, two, 2, "mpi_shared_memory") == 1);
  CHECK(type_color(hardware_guided, two, 2, "hwloc://L3Cache") == ranks::no_rank);
  CHECK(type_color(hardware_guided, two, 2, nullptr) == ranks::no_rank);
  CHECK(thrown_class([&] { type_color(ranks::split_kind{7}, two, 0, nullptr); }) == ranks::error_class::argument);
}

TEST_CASE("a merge puts the low side first, and both sides agree") {
  const group a = listed_group({4, 1}), b = listed_group({3, 2});
  const group a_first = listed_group({4, 1, 3, 2}), b_first = listed_group({3, 2, 4, 1});
  CHECK(ranks::merged_group({a, false}, {b, true}) == a_first);
  CHECK(ranks::merged_group({b, true}, {a, false}) == a_first);
  CHECK(ranks::merged_group({a, true}, {b, false}) == b_first);
  for (const bool is_high : {false, true}) {
    CHECK(ranks::merged_group({a, is_high}, {b, is_high}) == b_first);
    CHECK(ranks::merged_group({b, is_high}, {a, is_high}) == b_first);
  }
}

TEST_CASE("groups that do not fit a new communicator are refused") {
  using enum ranks::error_class;
  CHECK(thrown_class([] { check_subgroup(world_of(4), listed_group({3, 0})); }) == success);
  CHECK(thrown_class([] { check_subgroup(world_of(4), listed_group({3, 4})); }) == group);
  CHECK(thrown_class([] { check_disjoint(world_of(4), listed_group({4})); }) == success);
  CHECK(thrown_class([] { check_disjoint(world_of(4), listed_group({5, 3})); }) == comm);
}

TEST_CASE("communicators compare by their groups and numbers") {
  const auto a = intra(3, world_of(3)), b = intra(4, world_of(3)), c = intra(5, listed_group({2, 1, 0}));
  CHECK(compare(a, a) == comparison::identical);
  CHECK(compare(a, b) == comparison::congruent);
  CHECK(compare(a, c) == comparison::similar);
  CHECK(compare(a, intra(3, world_of(4))) == comparison::unequal);
  communicator_members inter = a, turned = a;
  inter.remote = listed_group({3, 4});
  turned.remote = listed_group({4, 3});
  CHECK(compare(a, inter) == comparison::unequal);
  CHECK(compare(inter, inter) == comparison::identical);
  CHECK(compare(inter, turned) == comparison::similar);
  turned.remote = listed_group({4, 5});
  CHECK(compare(inter, turned) == comparison::unequal);
}

TEST_CASE("a rank that is no member gets no communicator") {
  const auto members = shared(intra(3, listed_group({5, 2})));
  CHECK(made_communicator(members, world_rank{2})->rank() == 1);
  CHECK(made_communicator(members, world_rank{3}) == nullptr);
  communicator_members inter = *members;
  inter.remote = group();
  CHECK(made_communicator(shared(inter), world_rank{2}) == nullptr);
}

TEST_CASE("a duplicate has the original's properties, but not its name") {
  ranks::keyval_table keys;
  const auto owner = ranks::attribute_owner::communicator;
  const int number = keys.create(owner, {ranks::value_copy(), {}});
  const auto members = shared(intra(3, world_of(2)));
  communicator original(members, 0), copy(members, 0);
  int value = 0;
  original.attributes().set(keys.find(number, owner), &value, &original);
  original.set_name(std::string(200, 'n'));
  CHECK(original.name().size() == 127);
  original.set_handler(ranks::predefined_handler(ranks::error_reaction::return_code));
  original.set_arrangement(std::make_shared<const ranks::topology>(ranks::cartesian_grid({{2, false}})));
  copy_properties(original, copy, &original, &copy);
  CHECK(copy.attributes().find(number) == &value);
  CHECK(copy.handler() == original.handler());
  CHECK(copy.arrangement() == original.arrangement());
  CHECK(copy.name().empty());
}

TEST_CASE("a duplicate whose attributes cannot be copied has none") {
  ranks::keyval_table keys;
  const auto owner = ranks::attribute_owner::communicator;
  int deleted = 0;
  const auto remove = [&](void*, int, void*) { return ++deleted, 0; };
  const auto fail = [](void*, int, void*, void**, int*) { return 16; };
  const int first = keys.create(owner, {ranks::value_copy(), remove}), second = keys.create(owner, {fail, {}});
  const auto members = shared(intra(3, world_of(2)));
  communicator original(members, 0), copy(members, 0);
  original.attributes().set(keys.find(first, owner), nullptr, &original);
  original.attributes().set(keys.find(second, owner), nullptr, &original);
  CHECK(thrown_class([&] { copy_properties(original, copy, &original, &copy); }) == ranks::error_class::other);
  CHECK(copy.attributes().is_empty());
  CHECK(deleted == 1);
}

TEST_CASE("ranks of a node share what they know of a communicator") {
  ranks::members_table table;
  const auto first = table.share(intra(7, world_of(3))), second = table.share(intra(7, world_of(3)));
  CHECK(first == second);
  CHECK(table.share(intra(7, listed_group({4, 5}))) != first);
  CHECK(table.share(intra(8, world_of(3))) != first);
  const auto later = table.share(intra(7, world_of(2)));  // some rank still has the first one
  CHECK(later->local.size() == 2);
  CHECK(first->local.size() == 3);
  CHECK(table.share(intra(7, world_of(2))) == later);
}
