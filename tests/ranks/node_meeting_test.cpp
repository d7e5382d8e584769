#include <doctest/doctest.h>

#include <memory>
#include <numeric>
#include <vector>

#include <stretto/finish.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include "campaign.hpp"
#include "ranks/call_error.hpp"
#include "ranks/process/node_meeting.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;

namespace {

const ranks::datatype& type_of_ints() { return *ranks::predefined_type(0x209); }

/// Ranks as tasks of a runtime, which meet.
struct meeting_ranks {
  meeting_ranks(int ranks, int workers)
      : size(ranks),
        rt({.workers = static_cast<unsigned>(workers)}),
        meeting(
            std::make_shared<const ranks::communicator_members>(ranks::communicator_members{
                .number = {}, .local = ranks::group(ranks::world_rank{0}, ranks), .remote = {}, .local_number = {}}),
            workers) {}

  template <class Body>
  void run(Body&& body) {
    rt.run([&] {
      finish([&] {
        for (int i = 0; i < size; ++i)
          async(on(worker(static_cast<std::uint32_t>(i) % rt.workers())), [&body, i] { body(i); });
      });
    });
  }

  const int size;
  runtime rt;
  ranks::node_meeting meeting;
};

/// The sum of the numbers of all ranks, in each of some elements.
void add_numbers(meeting_ranks& all, int rank, std::int64_t count) {
  std::vector<int> in(static_cast<std::size_t>(count), rank), out(in.size());
  ranks::collective_call call{ranks::collective_kind::allreduce};
  call.values = {in.data(), out.data(), count, &type_of_ints(), ranks::predefined_operation(0x21)};
  all.meeting.perform(rank, call);
  REQUIRE(out == std::vector<int>(in.size(), all.size * (all.size - 1) / 2));
}

void broadcast(meeting_ranks& all, int rank, int root, std::int64_t count) {
  std::vector<int> expected(static_cast<std::size_t>(count)), numbers(expected.size());
  std::iota(expected.begin(), expected.end(), root);
  if (rank == root) numbers = expected;
  all.meeting.perform(rank, {ranks::collective_kind::broadcast, root, {numbers.data(), count, &type_of_ints()}});
  REQUIRE(numbers == expected);
}

/// Each rank sends its number and that of the receiver, in each of some elements.
void exchange(meeting_ranks& all, int rank, std::int64_t count) {
  const auto size = static_cast<std::size_t>(all.size), each = static_cast<std::size_t>(count);
  std::vector<int> sent(size * each), received(sent.size()), expected(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const int other = static_cast<int>(i / each);
    sent[i] = rank * 100 + other;
    expected[i] = other * 100 + rank;
  }
  ranks::collective_call call{ranks::collective_kind::alltoall};
  call.sent = {sent.data(), count, type_of_ints()};
  call.received = {received.data(), count, type_of_ints()};
  all.meeting.perform(rank, call);
  REQUIRE(received == expected);
}

}  // namespace

TEST_CASE("ranks meet again and again, on one worker and on several") {
  for (const int workers : {1, 2, 3}) {
    for (const int size : {1, 2, 7}) {
      CAPTURE(workers);
      CAPTURE(size);
      meeting_ranks all(size, workers);
      all.run([&](int rank) {
        for (int turn = 0; turn < test::scaled(60, 3000); ++turn) {
          add_numbers(all, rank, 1 + turn % 3);
          all.meeting.perform(rank, {});
          broadcast(all, rank, turn % all.size, 1);
        }
      });
    }
  }
}

TEST_CASE("ranks share the work of a collective of large data") {
  for (const int workers : {1, 3, 5}) {
    meeting_ranks all(5, workers);
    all.run([&](int rank) {
      for (int turn = 0; turn < test::scaled(6, 60); ++turn) {
        add_numbers(all, rank, 30'000);
        broadcast(all, rank, turn % all.size, 200'000);
        add_numbers(all, rank, 1);
        exchange(all, rank, 20'000);
      }
    });
  }
}

TEST_CASE("ranks that have a worker each share the work of collectives of less data") {
  meeting_ranks all(3, 3);
  all.run([&](int rank) {
    for (int turn = 0; turn < test::scaled(50, 1000); ++turn) {
      add_numbers(all, rank, 1000);
      exchange(all, rank, 400);
      broadcast(all, rank, turn % all.size, 3000);
      exchange(all, rank, 3);
    }
  });
}

TEST_CASE("a rank whose buffer is too small, and ranks that call different collectives, get errors") {
  meeting_ranks all(2, 2);
  std::vector<ranks::error_class> found(4);
  all.run([&](int rank) {
    int numbers[2] = {};
    const auto error_of = [&](const ranks::collective_call& call) {
      return test::thrown_class([&] { all.meeting.perform(rank, call); });
    };
    found[static_cast<std::size_t>(rank)] =
        error_of({ranks::collective_kind::broadcast, 0, {numbers, 2 - rank, &type_of_ints()}});
    found[static_cast<std::size_t>(2 + rank)] =
        error_of({ranks::collective_kind::broadcast, rank, {numbers, 1, &type_of_ints()}});
  });
  CHECK(found[0] == ranks::error_class::success);
  CHECK(found[1] == ranks::error_class::truncate);
  CHECK(found[2] == ranks::error_class::other);
  CHECK(found[3] == ranks::error_class::other);
}
