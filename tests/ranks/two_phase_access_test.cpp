#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/call_error.hpp"
#include "ranks/divided_file.hpp"
#include "ranks/files/two_phase_access.hpp"
#include "ranks/memory_exchange.hpp"

using namespace stretto;
using ranks::access_extent, ranks::error_class;
using test::divided_file, test::memory_bytes, test::random_types, test::test_file;

namespace {

using node_numbers = std::vector<int>;

/// Threads that stand for ranks exchange data in memory.
class exchange_in_memory final : public ranks::data_exchange {
 public:
  exchange_in_memory(test::meeting& all, int rank, int ranks) : all_(all), rank_(rank), ranks_(ranks) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  ranks::exchanged_data gather(std::span<const std::byte> own) override {
    ranks::exchanged_data all;
    for (const auto& each : all_.exchange(place(), {own.begin(), own.end()}))
      all.insert(all.end(), each.begin(), each.end());
    return all;
  }
  std::vector<ranks::exchanged_data> exchange(const std::vector<ranks::exchanged_data>& to_each) override {
    std::vector<ranks::exchanged_data> from_each(to_each.size());
    for (std::size_t to = 0; to < to_each.size(); ++to) {
      const auto received = all_.exchange(place(), to_each[to]);
      if (to == place()) from_each = received;
    }
    return from_each;
  }

 private:
  std::size_t place() const { return static_cast<std::size_t>(rank_); }

  test::meeting& all_;
  const int rank_, ranks_;
};

/// All ranks write their parts of a file together, each on a thread; returns what failed.
std::vector<error_class> write_over_nodes(int descriptor, const divided_file& divided,
                                          std::vector<memory_bytes>& memory, const node_numbers& nodes) {
  test::meeting all(nodes.size());
  std::vector<error_class> failures(nodes.size(), error_class::success);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const auto view = divided.view(rank).view;
      const ranks::file_access own{
          ranks::file_direction::write, view.get(), 0, {memory[rank].data(), std::ssize(memory[rank])}};
      exchange_in_memory exchange(all, static_cast<int>(rank), static_cast<int>(nodes.size()));
      const access_extent extent = extent_of(own);
      const auto extents = ranks::values_of<access_extent>(exchange.gather(std::as_bytes(std::span(&extent, 1))));
      ranks::two_phase_access access(own, extents, nodes, exchange);
      try {
        access.perform({descriptor, [](const auto& action) { action(); }});
      } catch (const ranks::call_error& error) {
        failures[rank] = error.which();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

node_numbers random_nodes(random_types& random, int ranks) {
  node_numbers nodes;
  for (int rank = 0; rank < ranks; ++rank) nodes.push_back(static_cast<int>(random.number(0, 2)));
  return nodes;
}

void check_written_file(std::uint64_t seed, std::int64_t longest_run) {
  CAPTURE(seed);
  random_types random(seed);
  const int ranks = static_cast<int>(random.number(1, 5));
  const node_numbers nodes = random_nodes(random, ranks);
  test_file file;
  const divided_file divided(random, ranks, longest_run);
  memory_bytes expected = test::random_bytes(random, random.number(0, divided.bytes()));
  file.set_data(expected);
  std::vector<memory_bytes> memory;
  for (std::size_t rank = 0; std::ssize(memory) < ranks; ++rank) {
    memory.push_back(test::random_bytes(random, divided.bytes_of(rank)));
    test::place_runs(expected, divided.runs(rank), memory.back());
  }
  const auto failures = write_over_nodes(file.opened->descriptor(), divided, memory, nodes);
  REQUIRE(std::ranges::count(failures, error_class::success) == ranks);
  REQUIRE(file.data() == expected);
}

access_extent extent(std::int64_t first, std::int64_t last, std::int64_t bytes) { return {first, last, bytes, 8, 1}; }

}  // namespace

TEST_CASE("ranks of several nodes that write to a file together change it as if each were alone") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(100, 2000); ++seed) check_written_file(seed, 40);
  // several windows and rounds
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(8, 100); ++seed) check_written_file(seed, 400'000);
}

TEST_CASE("all ranks get the error of the one that writes to the file") {
  test_file file;
  random_types random(3);
  const divided_file divided(random, 3, 30);
  std::vector<memory_bytes> memory;
  for (std::size_t rank = 0; rank < 3; ++rank) memory.emplace_back(static_cast<std::size_t>(divided.bytes_of(rank)));
  const int read_only = ::open(file.opened->path().c_str(), O_RDONLY);
  const auto failures = write_over_nodes(read_only, divided, memory, {0, 1, 1});
  CHECK(failures == std::vector(3, error_class::io));
  ::close(read_only);
}

TEST_CASE("the extent of an access has its ends and the length of its runs") {
  const auto& byte = *ranks::predefined_type(0x247);
  const auto type = ranks::make_hindexed(std::vector<std::int64_t>{10, 30}, std::vector<std::int64_t>{100, 200}, byte);
  type->commit();
  const ranks::file_view view(1000, byte, *type, nullptr);
  const access_extent of_all = ranks::extent_of({ranks::file_direction::write, &view, 0, {nullptr, 40}});
  CHECK((of_all.first == 1100 && of_all.last == 1230 && of_all.bytes == 40 && of_all.run_bytes == 20));
  const access_extent of_part = ranks::extent_of({ranks::file_direction::write, &view, 5, {nullptr, 6}});
  CHECK((of_part.first == 1105 && of_part.last == 1201 && of_part.run_bytes == 3));
  CHECK(ranks::extent_of({ranks::file_direction::write, &view, 5, {nullptr, 0}}).bytes == 0);
}

TEST_CASE("data goes to other nodes where short runs of nodes interleave") {
  using extents = std::vector<access_extent>;
  const node_numbers nodes{0, 0, 1, 1};
  const auto is_useful = [&](const extents& all) { return has_interleaved_nodes(all, nodes); };
  const std::int64_t k = 1000;
  CHECK(is_useful({extent(0, 100 * k, 25 * k), extent(25 * k, 125 * k, 25 * k), extent(50 * k, 150 * k, 25 * k), {}}));
  // so little that messages take longer
  CHECK_FALSE(is_useful({extent(0, 100, 25), extent(25, 125, 25), extent(50, 150, 25), {}}));
  // each node has its part of the file
  CHECK_FALSE(is_useful({extent(0, 100 * k, 50 * k), extent(50 * k, 150 * k, 50 * k), extent(150 * k, 250 * k, 99 * k),
                         extent(200 * k, 300 * k, 50 * k)}));
  // only one node has data
  CHECK_FALSE(is_useful({extent(0, 100 * k, 50 * k), extent(50 * k, 150 * k, 50 * k), {}, {}}));
  CHECK_FALSE(is_useful({{}, {}, {}, {}}));
  // long runs, which each rank had better access itself
  extents long_runs{extent(0, 1 << 20, 1 << 19), {}, extent(1 << 19, 1 << 20, 1 << 18), {}};
  CHECK(is_useful(long_runs));
  long_runs[2].run_bytes = access_extent::short_run + 1;
  CHECK(is_useful(long_runs));  // less than half of the data
  long_runs[0].run_bytes = access_extent::short_run + 1;
  CHECK_FALSE(is_useful(long_runs));
  // a view that does not show the file in its order
  extents unordered{extent(0, 100 * k, 50 * k), {}, extent(50 * k, 150 * k, 50 * k), {}};
  CHECK(is_useful(unordered));
  unordered[2].offsets_grow = 0;
  CHECK_FALSE(is_useful(unordered));
  // little data in a long range
  CHECK_FALSE(is_useful({extent(0, 10'000 * k, 50 * k), {}, extent(50, 10'000 * k, 50 * k), {}}));
}
