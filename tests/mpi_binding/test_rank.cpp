#include "mpi_binding/test_rank.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "ranks/memory_exchange.hpp"

using namespace stretto;

namespace {

std::shared_ptr<const ranks::communicator_members> members(ranks::communicator_number number, ranks::group local) {
  return std::make_shared<const ranks::communicator_members>(
      ranks::communicator_members{number, std::move(local), {}, {}});
}

std::string name_of(const ranks::group& members, ranks::communicator_number number) {
  std::string name = std::to_string(static_cast<std::uint32_t>(number)) + ":";
  for (int rank = 0; rank < members.size(); ++rank) name += std::to_string(static_cast<int>(members[rank])) + ",";
  return name;
}

/// Exchanges of threads that meet by the names of their groups.
class memory_exchanges : public ranks::exchange_source {
 public:
  memory_exchanges(test::meeting_places& places, ranks::world_rank self) : places_(places), self_(self) {}

  std::unique_ptr<ranks::creation_exchange> over(ranks::communicator& comm) override {
    const auto& all = comm.members();
    const auto place = static_cast<std::size_t>(comm.rank());
    test::meeting& own = meeting_of(all.local, all.number);
    if (!all.remote) return std::make_unique<test::memory_exchange>(own, place);
    return joined(own, place, all.local[0], (*all.remote)[0], 0);
  }

  std::unique_ptr<ranks::creation_exchange> apart(ranks::communicator& comm, std::uint32_t) override {
    return over(comm);
  }

  std::unique_ptr<ranks::creation_exchange> in_group(const ranks::group& members, int tag) override {
    const auto number = ranks::communicator_number(1000 * (tag + 1));
    test::meeting& own = meeting_of(members, number);
    return std::make_unique<test::memory_exchange>(own, static_cast<std::size_t>(*members.rank_of(self_)));
  }

  std::unique_ptr<ranks::creation_exchange> between(ranks::communicator& local,
                                                    const ranks::leader_link& link) override {
    const auto& all = local.members();
    const auto place = static_cast<std::size_t>(local.rank());
    test::meeting& own = meeting_of(all.local, all.number);
    if (!link.remote_leader) return joined(own, place, {}, {}, static_cast<std::size_t>(link.local_leader));
    return joined(own, place, all.local[link.local_leader], *link.remote_leader,
                  static_cast<std::size_t>(link.local_leader));
  }

 private:
  test::meeting& meeting_of(const ranks::group& members, ranks::communicator_number number) {
    return places_.find(name_of(members, number), static_cast<std::size_t>(members.size()));
  }

  std::unique_ptr<ranks::creation_exchange> joined(test::meeting& own, std::size_t place, ranks::world_rank self,
                                                   ranks::world_rank other, std::size_t leader) {
    const auto [low, high] = std::minmax(self, other);
    test::meeting& leaders = places_.find(
        "leaders " + std::to_string(static_cast<int>(low)) + "," + std::to_string(static_cast<int>(high)), 2);
    return std::make_unique<test::memory_exchange>(own, place, leaders, self > other, leader);
  }

  test::meeting_places& places_;
  const ranks::world_rank self_;
};

}  // namespace

test::test_rank::test_rank(int number, int count)
    : state(ranks::world_rank(number), members(ranks::world_number, ranks::group(ranks::world_rank{0}, count)),
            members(ranks::self_number, ranks::group(ranks::world_rank(number), 1))) {
  state.phase = ranks::rank_phase::running;
  state.world.set_handler(ranks::predefined_handler(ranks::error_reaction::return_code));
  state.end = [this](const ranks::requested_end& end) { ends.push_back(end); };
  ranks::set_identity(&identity_);
}

test::test_rank::~test_rank() { ranks::set_identity(nullptr); }

ranks::communicator& test::test_rank::arranged(ranks::topology arrangement) {
  communicators_.push_back(std::make_unique<ranks::communicator>(state.world.shared_members(), 1));
  ranks::communicator& made = *communicators_.back();
  made.set_arrangement(std::make_shared<const ranks::topology>(std::move(arrangement)));
  made.set_handler(state.world.handler());
  return made;
}

void test::run_ranks(int count, const std::function<void(int)>& program) {
  meeting_places places;
  const auto node = std::make_shared<ranks::members_table>();
  std::vector<std::thread> threads;
  for (int number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      test_rank rank(number, count);
      rank.state.node = node;
      rank.state.node_of = [](ranks::world_rank of) { return static_cast<int>(of) / 2; };
      rank.state.exchanges = std::make_unique<memory_exchanges>(places, ranks::world_rank(number));
      program(number);
      CHECK(rank.state.numbers.used() == 3);  // of the predefined communicators, and of creations from groups
    });
  }
  for (std::thread& thread : threads) thread.join();
}
