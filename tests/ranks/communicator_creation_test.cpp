#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/communicator_creation.hpp"
#include "ranks/communicators/place_agreement.hpp"
#include "ranks/memory_exchange.hpp"

using namespace stretto;
using ranks::communicator, ranks::communicator_number, ranks::created_communicator, ranks::world_rank;

namespace {

using numbers = std::vector<int>;

constexpr int ranks_in_world = 6;

/// A communicator of the script, by its id.
struct expected_communicator {
  numbers local;
  numbers remote;  // of intercommunicators
  bool is_freed = false;
};

enum class step_kind { dup, split, create, create_group, join, merge, free };

/// A call that the members of `parent` make, and of `other` for join; it creates communicators from `first_id` on.
struct script_step {
  step_kind kind{};
  std::size_t parent = 0;
  std::size_t other = 0;
  std::map<int, ranks::split_choice> choices;  // by world rank
  numbers chosen;
  std::map<int, std::size_t> ids;  // by world rank: the communicator that it gets; none if it is in none
};

/// A random script, and what it must create. Each id is a communicator, seen from one side if it is an
/// intercommunicator: its sides have two ids one after another, the even one first.
class creation_script {
 public:
  explicit creation_script(std::uint64_t seed) : random_(seed) {
    numbers world(ranks_in_world);
    std::iota(world.begin(), world.end(), 0);
    all = {{world, {}}, {}};
    all[1].is_freed = true;
    for (int i = 0; i < 40; ++i) add_step();
  }

  std::vector<expected_communicator> all;  // pairs of ids
  std::vector<script_step> steps;

 private:
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  std::size_t live() {
    for (;;) {
      const auto id = static_cast<std::size_t>(number(0, static_cast<int>(all.size()) - 1));
      if (!all[id].is_freed) return id;
    }
  }

  /// Adds a pair of ids for a communicator, and says who gets it.
  void expect(script_step& step, const numbers& local, const numbers& remote = {}) {
    const std::size_t id = all.size();
    all.push_back({local, remote});
    all.push_back({remote, local, remote.empty()});
    for (const int rank : local) step.ids[rank] = id;
    for (const int rank : remote) step.ids[rank] = id + 1;
  }

  numbers some_of(const numbers& of) {
    numbers chosen = of;
    std::ranges::shuffle(chosen, random_);
    chosen.resize(static_cast<std::size_t>(number(1, static_cast<int>(of.size()))));
    return chosen;
  }

  numbers ordered(const numbers& side, const std::map<int, ranks::split_choice>& choices, int color) {
    numbers chosen;
    for (const int rank : side) {
      if (choices.at(rank).color == color) chosen.push_back(rank);
    }
    std::ranges::stable_sort(chosen, {}, [&](int rank) { return choices.at(rank).key; });
    return chosen;
  }

  void add_split(script_step& step, const expected_communicator& parent) {
    for (const numbers* side : {&parent.local, &parent.remote}) {
      for (const int rank : *side) {
        step.choices[rank] = {number(0, 3) == 0 ? ranks::no_rank : number(0, 2), number(-1, 1)};
      }
    }
    for (int color = 0; color <= 2; ++color) {
      const numbers local = ordered(parent.local, step.choices, color);
      const numbers remote = ordered(parent.remote, step.choices, color);
      const bool is_made = !local.empty() && (parent.remote.empty() || !remote.empty());
      if (is_made) expect(step, local, remote);
    }
  }

  void add_join(script_step& step, const expected_communicator& parent) {
    step.other = live();
    const expected_communicator other = all[step.other];
    const bool is_disjoint = std::ranges::none_of(
        parent.local, [&](int rank) { return std::ranges::find(other.local, rank) != other.local.end(); });
    if (!parent.remote.empty() || !other.remote.empty() || !is_disjoint) return;
    step.kind = step_kind::join;
    expect(step, parent.local, other.local);
  }

  void add_free(script_step& step) {
    if (step.parent < 2) return;
    step.kind = step_kind::free;
    all[step.parent].is_freed = all[step.parent ^ 1].is_freed = true;
  }

  void add_step() {
    script_step step;
    step.parent = live();
    const expected_communicator parent = all[step.parent];
    step.kind = static_cast<step_kind>(-1);
    switch (number(0, 7)) {
      case 0:
        step.kind = step_kind::dup;
        expect(step, parent.local, parent.remote);
        break;
      case 1:
      case 2:
        step.kind = step_kind::split;
        add_split(step, parent);
        break;
      case 3:
        step.chosen = some_of(parent.local);
        step.kind = parent.remote.empty() ? step_kind::create : step_kind::create_group;
        expect(step, step.chosen);
        break;
      case 4:
        step.chosen = some_of(parent.local);
        step.kind = step_kind::create_group;
        expect(step, step.chosen);
        break;
      case 5: add_join(step, parent); break;
      case 6: add_free(step); break;
      default:
        if (parent.remote.empty()) return;
        step.kind = step_kind::merge;
        numbers both = step.parent % 2 == 0 ? parent.local : parent.remote;  // the even side is the low one
        const numbers& high = step.parent % 2 == 0 ? parent.remote : parent.local;
        both.insert(both.end(), high.begin(), high.end());
        expect(step, both);
    }
    if (step.kind != static_cast<step_kind>(-1)) steps.push_back(step);
  }

  std::mt19937_64 random_;
};

ranks::group group_with(const numbers& members) {
  std::vector<world_rank> all;
  for (const int number : members) all.push_back(world_rank(number));
  return ranks::group(all);
}

/// Shared by all threads: where they meet, and the faults that they find.
struct scripted_world {
  const creation_script& script;
  test::meeting_places places;
  ranks::members_table node;
  std::mutex mutex;
  std::vector<std::string> faults;
  std::map<std::size_t, communicator_number> numbers_of;  // by pair of ids

  void fault(const std::string& text) {
    const std::lock_guard lock(mutex);
    faults.push_back(text);
  }

  /// All ranks of a communicator must have the same number.
  void check_number(std::size_t id, communicator_number number) {
    const std::lock_guard lock(mutex);
    if (numbers_of.try_emplace(id / 2, number).first->second != number) faults.push_back("numbers differ");
  }
};

/// One rank, which makes the calls of a script that concern it.
class scripted_rank {
 public:
  scripted_rank(scripted_world& world, int number) : world_(world), number_(number) {
    const ranks::communicator_members members{ranks::world_number, group_with(world.script.all[0].local), {}, {}};
    owned_[0] = made_communicator(world.node.share(members), world_rank(number));
  }

  void run() {
    for (std::size_t i = 0; i < world_.script.steps.size(); ++i) {
      const script_step& step = world_.script.steps[i];
      const auto id = id_in(step.parent), other = id_in(step.other);
      if (step.kind == step_kind::join ? !(id || other) : !id) continue;
      const auto expected = step.ids.find(number_);
      created_communicator made = call(step, i, id ? *id : *other);
      if ((made != nullptr) != (expected != step.ids.end())) {
        world_.fault("step " + std::to_string(i) + ": rank " + std::to_string(number_) + " is in another communicator");
      } else if (made) {
        check(*made, expected->second);
        owned_[expected->second] = std::move(made);
      }
    }
  }

  int numbers_in_use() const { return table_.used(); }
  const std::map<std::size_t, created_communicator>& owned() const { return owned_; }

 private:
  /// The id by which this rank has a communicator: that of its side.
  std::optional<std::size_t> id_in(std::size_t id) const {
    for (const std::size_t side : {id, id ^ 1}) {
      if (owned_.contains(side)) return side;
    }
    return std::nullopt;
  }

  created_communicator call(const script_step& step, std::size_t index, std::size_t id) {
    communicator& parent = *owned_.at(id);
    const std::string name = "step " + std::to_string(index);
    if (step.kind == step_kind::create_group) return call_of_group(step, parent, name);
    const std::size_t side = step.kind == step_kind::join ? id / 2 != step.parent / 2 : id % 2;
    test::memory_exchange exchange(
        world_.places.find(name + "/" + std::to_string(side), static_cast<std::size_t>(parent.size())),
        static_cast<std::size_t>(parent.rank()), world_.places.find(name, 2), side);
    const ranks::creation_site site{exchange, table_, world_.node, world_rank(number_)};
    switch (step.kind) {
      case step_kind::dup: return duplicate(parent, &parent, site);
      case step_kind::split: return split(parent, step.choices.at(number_), site);
      case step_kind::create: return create(parent, group_with(step.chosen), site);
      case step_kind::join: return create_intercommunicator(parent, 0, site);
      case step_kind::merge: return merge(parent, id % 2 == 1, site);
      default: owned_.erase(id); return nullptr;
    }
  }

  created_communicator call_of_group(const script_step& step, communicator& parent, const std::string& name) {
    const ranks::group chosen = group_with(step.chosen);
    const auto place = chosen.rank_of(world_rank(number_));
    if (!place) return nullptr;
    test::memory_exchange exchange(world_.places.find(name, step.chosen.size()), static_cast<std::size_t>(*place));
    return create_from_group(chosen, ranks::key_of_group(parent.members().number, 5),
                             {exchange, table_, world_.node, world_rank(number_)});
  }

  void check(const communicator& made, std::size_t id) {
    const expected_communicator& expected = world_.script.all[id];
    const auto& members = made.members();
    if (members.local != group_with(expected.local)) world_.fault("a local group differs");
    if (members.remote.value_or(ranks::group()) != group_with(expected.remote)) world_.fault("a remote group differs");
    if (members.local[made.rank()] != world_rank(number_)) world_.fault("a rank differs");
    world_.check_number(id, members.number);
    std::set<communicator_number> used;
    for (const auto& [other, each] : owned_) {
      used.insert(each->members().number);
      if (each->is_intercommunicator()) used.insert(each->members().local_number);
    }
    if (used.contains(members.number)) world_.fault("a number is used twice");
    if (made.is_intercommunicator() && used.contains(members.local_number))
      world_.fault("a local number is used twice");
  }

  scripted_world& world_;
  int number_;
  ranks::number_table table_;
  std::map<std::size_t, created_communicator> owned_;
};

int expected_numbers(const scripted_rank& rank) {
  int count = 2;  // those of self and of creations from groups
  for (const auto& [id, each] : rank.owned()) count += each->is_intercommunicator() ? 2 : 1;
  return count;
}

}  // namespace

TEST_CASE("ranks create the communicators that a script describes") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(40, 2000); ++seed) {
    CAPTURE(seed);
    const creation_script script(seed);
    scripted_world world{script, {}, {}, {}, {}, {}};
    std::vector<std::unique_ptr<scripted_rank>> all;
    for (int number = 0; number < ranks_in_world; ++number) {
      all.push_back(std::make_unique<scripted_rank>(world, number));
    }
    std::vector<std::thread> threads;
    for (const auto& rank : all) threads.emplace_back([&] { rank->run(); });
    for (std::thread& thread : threads) thread.join();
    CHECK(world.faults == std::vector<std::string>());
    for (const auto& rank : all) CHECK(rank->numbers_in_use() == expected_numbers(*rank));
  }
}

TEST_CASE("ranks of a grid get their part of it") {
  scripted_world world{creation_script(0), {}, {}, {}, {}, {}};
  std::vector<std::thread> threads;
  for (int number = 0; number < 6; ++number) {
    threads.emplace_back([&world, number] {
      ranks::number_table table;
      test::memory_exchange exchange(world.places.find("grid", 6), static_cast<std::size_t>(number));
      const ranks::creation_site site{exchange, table, world.node, world_rank(number)};
      const ranks::communicator_members members{ranks::world_number, group_with({0, 1, 2, 3, 4, 5}), {}, {}};
      const auto all = made_communicator(world.node.share(members), world_rank(number));
      const auto grid = arrange(*all, ranks::cartesian_grid({{2, false}, {2, true}}), site);
      if ((grid != nullptr) != (number < 4)) world.fault("another rank is in the grid");
      if (!grid) return;
      test::memory_exchange of_grid(world.places.find("part", 4), static_cast<std::size_t>(number));
      const auto column = part_of_grid(*grid, {true, false}, {of_grid, table, world.node, world_rank(number)});
      if (column->members().local != group_with({number % 2, number % 2 + 2})) world.fault("a column differs");
      if (std::get<ranks::cartesian_grid>(*column->arrangement()).size() != 2) world.fault("a grid differs");
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(world.faults == std::vector<std::string>());
}

TEST_CASE("ranks agree on the order in which they take the places of a grid") {
  const ranks::cartesian_grid square({{4, false}, {4, false}});
  scripted_world world{creation_script(0), {}, {}, {}, {}, {}};
  const auto node_of = [](int number) { return number % 2; };
  std::vector<std::thread> threads;
  std::vector<int> number_at(16, -1);
  for (int number = 0; number < 17; ++number) {
    threads.emplace_back([&, number] {
      ranks::number_table table;
      numbers all_numbers(17);
      std::iota(all_numbers.begin(), all_numbers.end(), 0);
      test::memory_exchange exchange(world.places.find("order", 17), static_cast<std::size_t>(number));
      const auto all = made_communicator(world.node.share({ranks::world_number, group_with(all_numbers), {}, {}}),
                                         world_rank(number));
      const auto order = agreed_places(*all, square.size(), {node_of(number), 0}, exchange,
                                       [&](auto locations) { return near_ranks(square, locations); });
      if (!agreed_places(*all, 18, {}, exchange, {}).empty()) world.fault("ranks agree on more places than ranks");
      const auto grid = arrange(*all, square, {exchange, table, world.node, world_rank(number)}, order);
      if ((grid != nullptr) != (number < 16)) world.fault("another rank is in the grid");
      if (grid) number_at[static_cast<std::size_t>(grid->rank())] = number;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(world.faults == std::vector<std::string>());
  CHECK(std::set<int>(number_at.begin(), number_at.end()).size() == 16);
  std::vector<ranks::rank_location> at_places;
  for (const int number : number_at) at_places.push_back({node_of(number), 0});
  CHECK(crossings(ranks::place_graph(square), at_places) == ranks::crossing_weight{4, 0});
}

TEST_CASE("ranks create an intercommunicator of some of each side") {
  scripted_world world{creation_script(0), {}, {}, {}, {}, {}};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&world, number] {
      const std::size_t side = number / 2, place = number % 2;
      const numbers own = side == 0 ? numbers{0, 1} : numbers{2, 3}, others = side == 0 ? numbers{2, 3} : numbers{0, 1};
      ranks::number_table table;
      test::memory_exchange exchange(world.places.find(side == 0 ? "left" : "right", 2), place,
                                     world.places.find("both", 2), side);
      const ranks::creation_site site{exchange, table, world.node, world_rank(number)};
      const auto number_of = [](std::uint32_t value) { return communicator_number{value}; };
      const auto local =
          made_communicator(world.node.share({number_of(7), group_with(own), {}, {}}), world_rank(number));
      const auto both = create_intercommunicator(*local, 0, site);
      if (both->members().remote != group_with(others)) world.fault("a remote group differs");
      // rank 1 and rank 2 each in a group of their own; the others pass empty groups
      const bool is_chosen = number == 1 || number == 2;
      const auto part = create(*both, is_chosen ? group_with({number}) : ranks::group(), site);
      if ((part != nullptr) != is_chosen) world.fault("another rank is in the part");
      if (part && part->members().remote != group_with({3 - number})) world.fault("a remote group of the part differs");
      const auto none = create(*both, side == 0 ? group_with(own) : ranks::group(), site);
      if (none) world.fault("an intercommunicator has an empty side");
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(world.faults == std::vector<std::string>());
}
