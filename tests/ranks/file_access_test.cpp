#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "campaign.hpp"
#include "ranks/divided_file.hpp"

using namespace stretto;
using ranks::file_direction, ranks::access_mode;
using test::divided_file, test::element_memory, test::memory_bytes, test::modelled_view, test::random_types,
    test::test_file;

namespace {

std::uint64_t accesses() { return test::scaled<std::uint64_t>(2000, 40'000); }

/// Elements in memory without overlaps, as MPI asks of a receive buffer.
struct modelled_memory {
  modelled_memory(test::modelled_type of, std::int64_t elements)
      : type(std::move(of)), count(elements), memory(type.model, elements), displacements(type.model.bytes(elements)) {}

  bool has_overlaps() const {
    auto sorted = displacements;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
  ranks::data_part data() { return {memory.origin(), count, *type.type}; }
  std::int64_t bytes() const { return std::ssize(displacements); }
  std::byte& at(std::int64_t i) { return memory.at(displacements[static_cast<std::size_t>(i)]); }

  test::modelled_type type;
  std::int64_t count;
  element_memory memory;
  std::vector<std::int64_t> displacements;
};

ranks::file_request_owner request_for(const modelled_view& v, file_direction direction, std::int64_t position,
                                      const ranks::data_part& data) {
  return ranks::file_request_owner(new ranks::file_request(v.view, {}, {direction, v.view.get(), position, data}));
}

/// Runs one access; returns its bytes.
std::int64_t access(test_file& file, const modelled_view& v, file_direction direction, std::int64_t position,
                    const ranks::data_part& data, access_mode mode) {
  const auto request = request_for(v, direction, position, data);
  file.opened->start(*request, mode);
  REQUIRE(request->is_done());
  REQUIRE(!request->failure());
  return request->status.bytes;
}

void grow_to(memory_bytes& file, std::int64_t offset) {
  if (std::ssize(file) <= offset) file.resize(static_cast<std::size_t>(offset) + 1);
}

/// A view, memory, and the part of the view's data that the memory is for.
struct random_access {
  explicit random_access(random_types& random)
      : view(test::random_view(random, 4)), memory(random.next(), random.number(0, 3)) {
    if (!view) return;
    const std::int64_t free = std::ssize(view->offsets) - memory.bytes();
    if (free < 0 || memory.has_overlaps()) view.reset();
    else position = random.number(0, free);
  }

  std::int64_t offset(std::int64_t i) const { return view->offsets[static_cast<std::size_t>(position + i)]; }

  std::optional<modelled_view> view;
  modelled_memory memory;
  std::int64_t position = 0;
};

/// Calls try_one(file, random, access, seed), with a file that is empty.
template <class Try>
void for_random_accesses(Try&& try_one) {
  test_file file;
  for (std::uint64_t seed = 0; seed < accesses(); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    random_access one(random);
    if (!one.view) continue;
    file.opened->set_bytes(0);
    try_one(file, random, one, seed);
  }
}

}  // namespace

TEST_CASE("random writes change the listed bytes of a file and no others") {
  for_random_accesses([](test_file& file, random_types& random, random_access& one, std::uint64_t seed) {
    memory_bytes expected = test::random_bytes(random, random.number(0, 300));
    file.set_data(expected);
    one.memory.memory.fill(static_cast<unsigned>(seed));
    for (std::int64_t i = 0; i < one.memory.bytes(); ++i) {
      grow_to(expected, one.offset(i));
      expected[static_cast<std::size_t>(one.offset(i))] = one.memory.at(i);
    }
    const auto mode = random.number(0, 3) == 0 ? access_mode::atomic : access_mode::usual;
    REQUIRE(access(file, *one.view, file_direction::write, one.position, one.memory.data(), mode) ==
            one.memory.bytes());
    REQUIRE(file.data() == expected);
  });
}

TEST_CASE("random reads get the listed bytes up to the end of the file") {
  for_random_accesses([](test_file& file, random_types& random, random_access& one, std::uint64_t seed) {
    const memory_bytes stored = test::random_bytes(random, random.number(0, 600));
    file.set_data(stored);
    one.memory.memory.fill(static_cast<unsigned>(seed));
    element_memory expected = one.memory.memory;
    std::int64_t bytes = 0;
    for (; bytes < one.memory.bytes() && one.offset(bytes) < std::ssize(stored); ++bytes)
      expected.at(one.memory.displacements[static_cast<std::size_t>(bytes)]) =
          stored[static_cast<std::size_t>(one.offset(bytes))];
    const auto mode = random.number(0, 3) == 0 ? access_mode::atomic : access_mode::usual;
    REQUIRE(access(file, *one.view, file_direction::read, one.position, one.memory.data(), mode) == bytes);
    REQUIRE(one.memory.memory.bytes == expected.bytes);
  });
}

namespace {

/// All ranks access their parts together; returns the bytes of each.
std::vector<std::int64_t> access_together(test_file& file, const divided_file& divided, file_direction direction,
                                          std::vector<memory_bytes>& memory, access_mode mode) {
  std::vector<ranks::file_request_owner> requests;
  for (std::size_t rank = 0; rank < memory.size(); ++rank) {
    requests.push_back(
        request_for(divided.view(rank), direction, 0, ranks::data_part(memory[rank].data(), std::ssize(memory[rank]))));
    file.opened->join(*requests.back(), mode, 7);
  }
  std::vector<std::int64_t> bytes;
  for (const auto& one : requests) {
    REQUIRE(one->is_done());
    REQUIRE(!one->failure());
    bytes.push_back(one->status.bytes);
  }
  return bytes;
}

void check_divided_file(std::uint64_t seed, std::int64_t longest_run, access_mode mode) {
  CAPTURE(seed);
  random_types random(seed);
  const int ranks = static_cast<int>(random.number(1, 6));
  test_file file(ranks);
  const divided_file divided(random, ranks, longest_run);
  memory_bytes expected = test::random_bytes(random, random.number(0, divided.bytes()));
  file.set_data(expected);
  std::vector<memory_bytes> memory;
  for (std::size_t rank = 0; std::ssize(memory) < ranks; ++rank) {
    memory.push_back(test::random_bytes(random, divided.bytes_of(rank)));
    test::place_runs(expected, divided.runs(rank), memory.back());
  }
  auto read = memory;
  access_together(file, divided, file_direction::write, memory, mode);
  REQUIRE(file.data() == expected);
  for (memory_bytes& one : read) std::ranges::fill(one, std::byte{0});
  const auto bytes = access_together(file, divided, file_direction::read, read, mode);
  REQUIRE(read == memory);
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) REQUIRE(bytes[rank] == divided.bytes_of(rank));
}

}  // namespace

TEST_CASE("ranks that access a file together see it as if each were alone") {
  const auto cases = test::scaled<std::uint64_t>(300, 5000);
  for (std::uint64_t seed = 0; seed < cases; ++seed) check_divided_file(seed, 40, access_mode::usual);
  for (std::uint64_t seed = 0; seed < cases / 10; ++seed) check_divided_file(seed, 40, access_mode::atomic);
  for (std::uint64_t seed = 0; seed < cases / 30; ++seed) check_divided_file(seed, 200'000, access_mode::usual);
}

TEST_CASE("a common read beyond the end of the file gives each rank what is there") {
  random_types random(5);
  const divided_file divided(random, 3, 30);
  test_file file(3);
  const memory_bytes stored = test::random_bytes(random, divided.bytes() / 2);
  file.set_data(stored);
  std::vector<memory_bytes> memory;
  for (std::size_t rank = 0; rank < 3; ++rank) memory.emplace_back(static_cast<std::size_t>(divided.bytes_of(rank)));
  const auto bytes = access_together(file, divided, file_direction::read, memory, access_mode::usual);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    std::int64_t there = 0;
    for (const auto& run : divided.runs(rank))
      there += std::clamp<std::int64_t>(std::ssize(stored) - run.offset, 0, run.bytes);
    CHECK(bytes[rank] == there);
  }
}

TEST_CASE("an access that fails says how") {
  test_file file;
  const auto path = file.opened->path();
  test::immediate_work work;
  const auto read_only = ranks::make_counted<ranks::open_file>(::open(path.c_str(), O_RDONLY), path, 1, work);
  const modelled_view bytes{std::make_shared<const ranks::file_view>(), {}, 1};
  const auto request = request_for(bytes, file_direction::write, 0, ranks::data_part("text", 4));
  read_only->start(*request, access_mode::usual);
  REQUIRE(request->failure());
  CHECK(request->status.error == ranks::error_class::io);
  CHECK(std::string(request->failure()->what()) == "write of 4 bytes at byte 0: Bad file descriptor");
}
