#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/number_agreement.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;
using ranks::agreement_outcome, ranks::number_agreement, ranks::communicator_number, ranks::number_offer,
    ranks::number_table;

namespace {

/// The ranks' parts of one agreement. Each rank enters when it calls; a round ends when all have contributed.
struct simulated_agreement {
  std::vector<int> ranks;
  ranks::agreement_key key{};
  std::vector<std::unique_ptr<number_agreement>> parts;
  std::vector<std::optional<number_offer>> offers;
  std::optional<communicator_number> number;
  bool is_exhausted = false;
  int rounds = 0;

  bool is_over() const { return number || is_exhausted; }
};

/// Agreements of ranks with several threads, stepped in random order.
class simulated_ranks {
 public:
  simulated_ranks(std::uint64_t seed, int ranks) : random_(seed), tables_(static_cast<std::size_t>(ranks)) {}

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  number_table& table(int rank) { return tables_[static_cast<std::size_t>(rank)]; }

  std::size_t add(std::vector<int> ranks) {
    simulated_agreement added;
    added.ranks = std::move(ranks);
    added.key = ranks::key_of_collective(communicator_number(number(0, 3)), static_cast<std::uint32_t>(all_.size()));
    added.parts.resize(added.ranks.size());
    added.offers.resize(added.ranks.size());
    all_.push_back(std::move(added));
    return all_.size() - 1;
  }

  simulated_agreement& agreement(std::size_t which) { return all_[which]; }

  /// One rank contributes to the round of one agreement; the last one ends the round for all.
  void contribute(simulated_agreement& which, std::size_t place) {
    if (which.offers[place]) return;
    auto& part = which.parts[place];
    if (!part) part = std::make_unique<number_agreement>(table(which.ranks[place]), which.key);
    which.offers[place] = part->start_round();
    if (std::ranges::all_of(which.offers, [](const auto& offer) { return offer.has_value(); })) end_round(which);
  }

  /// Steps in random order until all are over; fails if that takes too many rounds.
  void finish() {
    for (int steps = 0; steps < 1'000'000; ++steps) {
      std::vector<simulated_agreement*> open;
      for (simulated_agreement& each : all_) {
        if (!each.is_over()) open.push_back(&each);
      }
      if (open.empty()) return;
      simulated_agreement& chosen = *open[static_cast<std::size_t>(number(0, static_cast<int>(open.size()) - 1))];
      contribute(chosen, static_cast<std::size_t>(number(0, static_cast<int>(chosen.ranks.size()) - 1)));
    }
    FAIL("the ranks did not agree");
  }

  std::vector<int> some_ranks() {
    std::vector<int> all;
    for (int rank = 0; rank < static_cast<int>(tables_.size()); ++rank) all.push_back(rank);
    std::ranges::shuffle(all, random_);
    all.resize(static_cast<std::size_t>(number(1, static_cast<int>(all.size()))));
    return all;
  }

  void check_numbers_differ() {
    std::vector<std::set<communicator_number>> used(tables_.size());
    for (const simulated_agreement& each : all_) {
      if (!each.number) continue;
      for (const int rank : each.ranks) CHECK(used[static_cast<std::size_t>(rank)].insert(*each.number).second);
    }
  }

 private:
  void end_round(simulated_agreement& which) {
    ++which.rounds;
    number_offer all = *which.offers[0];
    for (const auto& offer : which.offers) all = combined(all, *offer);
    for (std::size_t place = 0; place < which.parts.size(); ++place) {
      const agreement_outcome outcome = which.parts[place]->end_round(all);
      if (outcome == agreement_outcome::agreed) which.number = which.parts[place]->number();
      which.is_exhausted = outcome == agreement_outcome::exhausted;
      which.offers[place].reset();
    }
    if (which.is_over()) which.parts.clear();
  }

  std::mt19937_64 random_;
  std::vector<number_table> tables_;
  std::vector<simulated_agreement> all_;
};

std::vector<int> first_ranks(int count) {
  std::vector<int> all;
  for (int rank = 0; rank < count; ++rank) all.push_back(rank);
  return all;
}

}  // namespace

TEST_CASE("ranks with one agreement at a time need one round") {
  simulated_ranks ranks(1, 4);
  std::set<communicator_number> numbers;
  for (int i = 0; i < 20; ++i) {
    const std::size_t which = ranks.add(first_ranks(4));
    ranks.finish();
    CHECK(ranks.agreement(which).rounds == 1);
    CHECK(numbers.insert(*ranks.agreement(which).number).second);
  }
  CHECK(ranks.table(0).used() == 23);  // with those of the world, of self and of creations from groups
}

TEST_CASE("concurrent agreements get different numbers on each rank") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(200, 10'000); ++seed) {
    CAPTURE(seed);
    simulated_ranks ranks(seed, 5);
    const int count = ranks.number(1, 8);
    for (int i = 0; i < count; ++i) ranks.add(ranks.some_ranks());
    ranks.finish();
    ranks.check_numbers_differ();
  }
}

TEST_CASE("an agreement that waits for a rank to call does not hold up another one") {
  simulated_ranks ranks(7, 2);
  const std::size_t waiting = ranks.add(first_ranks(2)), other = ranks.add(first_ranks(2));
  ranks.contribute(ranks.agreement(waiting), 0);  // rank 0 duplicates without blocking; rank 1 calls later
  for (int i = 0; i < 4 && !ranks.agreement(other).is_over(); ++i) {
    ranks.contribute(ranks.agreement(other), 0);
    ranks.contribute(ranks.agreement(other), 1);
  }
  CHECK(ranks.agreement(other).number);
  ranks.finish();
  ranks.check_numbers_differ();
}

TEST_CASE("agreements that ranks enter in opposite orders end") {
  simulated_ranks ranks(9, 2);
  const std::size_t one = ranks.add(first_ranks(2)), two = ranks.add(first_ranks(2));
  const auto contribute = [&](std::size_t which, std::size_t rank) {
    if (!ranks.agreement(which).is_over()) ranks.contribute(ranks.agreement(which), rank);
  };
  contribute(ranks.add(first_ranks(2)), 0);  // holds the numbers of first rounds
  for (const std::size_t rank : {0, 1}) contribute(one, rank);
  for (const std::size_t rank : {0, 1}) contribute(two, rank);
  contribute(one, 0);
  contribute(two, 1);
  for (int round = 0; round < 6; ++round) {  // each time a rank contributes, it holds numbers for the other agreement
    contribute(one, 1);
    contribute(one, 0);
    contribute(two, 0);
    contribute(two, 1);
  }
  CHECK(ranks.agreement(one).number);
  CHECK(ranks.agreement(two).number);
  ranks.check_numbers_differ();
}

TEST_CASE("a number is used again when all ranks have released it") {
  simulated_ranks ranks(3, 3);
  const std::size_t first = ranks.add(first_ranks(3));
  ranks.finish();
  const communicator_number number = *ranks.agreement(first).number;
  ranks.table(0).release(number);
  ranks.table(1).release(number);
  const std::size_t second = ranks.add(first_ranks(3)), of_two = ranks.add({0, 1});
  ranks.finish();
  CHECK(*ranks.agreement(second).number != number);
  CHECK(*ranks.agreement(of_two).number == number);
  ranks.table(2).release(number);
  ranks.table(1).release(number);
  ranks.table(0).release(number);
  const std::size_t third = ranks.add(first_ranks(3));
  ranks.finish();
  CHECK(*ranks.agreement(third).number == number);
}

TEST_CASE("all ranks learn that no number is free") {
  simulated_ranks ranks(5, 2);
  std::size_t last = 0;
  do {
    last = ranks.add(first_ranks(2));
    ranks.finish();
  } while (!ranks.agreement(last).is_exhausted);
  CHECK(last == 2 * ranks::numbers_per_part - 3);
  ranks.table(0).release(communicator_number{77});
  ranks.table(1).release(communicator_number{77});
  const std::size_t next = ranks.add(first_ranks(2));
  ranks.finish();
  CHECK(*ranks.agreement(next).number == communicator_number{77});
}

TEST_CASE("communicators of one rank get numbers without an agreement") {
  number_table table;
  number_agreement other(table, {});
  other.start_round();
  const communicator_number one = table.take_single(), two = table.take_single();
  CHECK(one != two);
  table.release(one);
  CHECK(table.take_single() == one);
  for (std::uint32_t i = 2; i < ranks::numbers_per_part; ++i) table.take_single();
  CHECK(test::thrown_class([&] { table.take_single(); }) == ranks::error_class::other);
}

TEST_CASE("an agreement that is abandoned releases what it holds") {
  number_table table;
  std::make_unique<number_agreement>(table, ranks::agreement_key{})->start_round();
  number_agreement next(table, ranks::agreement_key{1});
  CHECK(next.start_round().is_held != 0);
}

TEST_CASE("both sides of an intercommunicator compute one key") {
  const ranks::intercommunicator_side a{communicator_number{7}, ranks::world_rank{2}}, b{communicator_number{7}, {}};
  CHECK(ranks::key_of_sides(a, b) == ranks::key_of_sides(b, a));
  CHECK(ranks::key_of_sides(a, b) != ranks::key_of_sides({communicator_number{8}, ranks::world_rank{2}}, b));
}
