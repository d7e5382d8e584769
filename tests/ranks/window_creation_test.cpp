#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ranks/files/window_position.hpp"
#include "ranks/memory_exchange.hpp"
#include "ranks/thrown_class.hpp"
#include "ranks/windows/window_creation.hpp"

using namespace stretto;

namespace {

/// One thread for each rank of a communicator, which creates windows without messages.
struct window_rank {
  ranks::number_table numbers;
  base::spin_lock combining;
  ranks::mailbox messages;
  std::function<ranks::peer(ranks::world_rank)> reach;
  ranks::communicator comm;
  test::memory_exchange exchange;
  std::function<int(ranks::world_rank)> node_of;

  window_rank(const std::shared_ptr<const ranks::communicator_members>& members, int rank, test::meeting& place)
      : comm(members, rank), exchange(place, static_cast<std::size_t>(rank)) {}

  ranks::window_site site(ranks::members_table& node) {
    return {{exchange, numbers, node, ranks::world_rank(comm.rank())}, node_of, combining, messages, reach};
  }
  std::unique_ptr<ranks::rank_window> create(ranks::members_table& node, const ranks::window_shape& shape) {
    return create_window(comm, shape, site(node));
  }
};

template <class Program>
void run_window_ranks(int count, const Program& program) {
  const auto members = std::make_shared<const ranks::communicator_members>(
      ranks::communicator_members{ranks::world_number, ranks::group(ranks::world_rank{0}, count), {}, {}});
  test::meeting place(static_cast<std::size_t>(count));
  ranks::members_table node;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      window_rank own(members, rank, place);
      program(own, node);
      own.exchange.gather({});  // windows are used by others until here
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void put_number(ranks::window_target& target, int number, std::int64_t displacement) {
  const ranks::datatype& type = *ranks::predefined_type(0x250);
  target.begin({.kind = ranks::access_kind::put,
                .origin = {&number, 1, &type},
                .result = {},
                .target = {displacement, 1, &type}});
}

}  // namespace

TEST_CASE("each rank of a window writes to the memory of all") {
  run_window_ranks(5, [](window_rank& own, ranks::members_table& node) {
    const int self = own.comm.rank();
    const auto made = own.create(node, {ranks::window_flavor::allocate, {nullptr, 20 + 4 * self, 4}});
    CHECK(made->comm().members().number != ranks::world_number);
    for (int rank = 0; rank < 5; ++rank) put_number(made->target(rank), 10 * rank + self, self);
    own.exchange.gather({});
    const auto* const numbers = reinterpret_cast<const int*>(made->predefined().base);
    for (int rank = 0; rank < 5; ++rank) CHECK(numbers[rank] == 10 * self + rank);
    CHECK(made->predefined().size == 20 + 4 * self);
    own.exchange.gather({});
  });
}

TEST_CASE("shared memory of ranks is contiguous, or apart if they do not want that") {
  for (const bool is_contiguous : {true, false}) {
    run_window_ranks(4, [&](window_rank& own, ranks::members_table& node) {
      const std::int64_t size = own.comm.rank() == 1 ? 0 : 8 + own.comm.rank();
      const auto made = own.create(node, {ranks::window_flavor::shared, {nullptr, size, 1}, is_contiguous});
      const auto* before = made->target(0).shared_memory();
      for (int rank = 1; rank < 4; ++rank) {
        const auto* const memory = made->target(rank).shared_memory();
        CHECK((memory->base == before->base + before->size) == is_contiguous);
        before = memory;
      }
      own.exchange.gather({});
    });
  }
}

TEST_CASE("ranks of several nodes share no memory") {
  run_window_ranks(2, [](window_rank& own, ranks::members_table& node) {
    own.node_of = [](ranks::world_rank rank) { return static_cast<int>(rank); };
    CHECK(test::thrown_class([&] { own.create(node, {ranks::window_flavor::shared, {nullptr, 8, 1}}); }) ==
          ranks::error_class::rma_shared);
  });
}

TEST_CASE("each rank advances the position in a window from where another has left it") {
  std::array<std::atomic<int>, 200> taken{};
  run_window_ranks(4, [&](window_rank& own, ranks::members_table& node) {
    ranks::window_position position(own.comm, own.site(node));
    if (own.comm.rank() == 0) position.set(100);
    own.exchange.gather({});
    for (int i = 0; i < 50; ++i) ++taken[static_cast<std::size_t>(position.advance(3) - 100) / 3];
    own.exchange.gather({});
    CHECK(position.get() == 700);
    own.exchange.gather({});
  });
  for (const auto& times : taken) CHECK(times == 1);
}
