#include "acc/array_part.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "campaign.hpp"
#include "data_clause.hpp"

using namespace stretto;
using test::data_clause;

namespace {

std::array<std::byte, 4096> array_memory;

/// A range as its first byte and its size.
using placed_bytes = std::pair<long, std::size_t>;

placed_bytes placed_at(const acc::byte_range& range) { return {range.first - array_memory.data(), range.bytes}; }

std::vector<placed_bytes> ranges_of(const data_clause& part) {
  std::vector<placed_bytes> all;
  for (const acc::byte_range& one : acc::contiguous_ranges(part.data)) all.push_back(placed_at(one));
  return all;
}

/// The bytes of a part, one by one.
void add_bytes(const stretto_acc_data& part, int dimension, long at, std::set<long>& into) {
  const stretto_acc_extent& one = part.extents[dimension];
  for (unsigned long i = one.first; i < one.first + one.count; ++i) {
    const long element = at + static_cast<long>(i * one.bytes);
    if (dimension + 1 < part.extent_count) add_bytes(part, dimension + 1, element, into);
    else
      for (unsigned long b = 0; b < one.bytes; ++b) into.insert(element + static_cast<long>(b));
  }
}

}  // namespace

TEST_CASE("a part of one dimension is one range") {
  const data_clause part(0, array_memory.data(), {{3, 5, 8}});
  CHECK(placed_at(acc::whole_range(part.data)) == placed_bytes{24, 40});
  CHECK(ranges_of(part) == std::vector<placed_bytes>{{24, 40}});
}

TEST_CASE("rows that follow each other are one range, others one each") {
  const data_clause whole_rows(0, array_memory.data(), {{1, 3, 40}, {0, 5, 8}});
  CHECK(ranges_of(whole_rows) == std::vector<placed_bytes>{{40, 120}});
  const data_clause columns(0, array_memory.data(), {{1, 3, 40}, {1, 2, 8}});
  CHECK(ranges_of(columns) == std::vector<placed_bytes>{{48, 16}, {88, 16}, {128, 16}});
  CHECK(placed_at(acc::whole_range(columns.data)) == placed_bytes{48, 96});
  const data_clause planes(0, array_memory.data(), {{0, 2, 80}, {0, 2, 40}, {0, 5, 8}});
  CHECK(ranges_of(planes) == std::vector<placed_bytes>{{0, 160}});
  const data_clause rows_of_planes(0, array_memory.data(), {{0, 2, 120}, {1, 2, 40}, {0, 5, 8}});
  CHECK(ranges_of(rows_of_planes) == std::vector<placed_bytes>{{40, 80}, {160, 80}});
}

TEST_CASE("a part without elements has no bytes") {
  for (const auto& [rows, columns] : {std::pair{0UL, 5UL}, {3UL, 0UL}, {0UL, 0UL}}) {
    const data_clause empty(0, array_memory.data(), {{2, rows, 40}, {0, columns, 8}});
    CHECK(acc::whole_range(empty.data).bytes == 0);
    CHECK(ranges_of(empty).empty());
  }
  const data_clause without(0, array_memory.data(), std::initializer_list<stretto_acc_extent>{});
  CHECK(placed_at(acc::whole_range(without.data)) == placed_bytes{0, 0});
  CHECK(ranges_of(without).empty());
}

TEST_CASE("ranges hold the bytes of the part, each once, in ascending order") {
  std::mt19937 random(7);
  const auto below = [&](unsigned long n) { return random() % n; };
  for (int n = 0; n < test::scaled(300, 30'000); ++n) {
    const unsigned long dimensions = 1 + below(3);
    std::vector<stretto_acc_extent> all(dimensions);
    unsigned long bytes = 1 + below(8);
    for (std::size_t i = dimensions; i-- > 0;) {
      const unsigned long size = 1 + below(5), first = below(2) ? 0 : below(size);
      all[i] = {first, below(3) ? size - first : below(size - first + 1), bytes};
      bytes *= size;
    }
    data_clause part(0, array_memory.data(), std::initializer_list<stretto_acc_extent>{});
    std::copy(all.begin(), all.end(), part.extents.begin());
    part.data.extent_count = static_cast<int>(dimensions);
    std::set<long> wanted, seen;
    add_bytes(part.data, 0, 0, wanted);
    long last = -1;
    bool is_ascending = true;
    for (const auto& [first, size] : ranges_of(part)) {
      is_ascending = is_ascending && first > last && size > 0;
      last = first + static_cast<long>(size) - 1;
      for (long b = first; b <= last; ++b) seen.insert(b);
    }
    CHECK(is_ascending);
    CHECK(seen == wanted);
    const placed_bytes whole = placed_at(acc::whole_range(part.data));
    CHECK((wanted.empty() ? whole.second == 0
                          : whole == placed_bytes{*wanted.begin(), *wanted.rbegin() - *wanted.begin() + 1}));
  }
}

TEST_CASE("rows behind pointers are those of the part, without null pointers") {
  double first[4], second[4];
  double* pointers[5] = {nullptr, first, nullptr, second, first};
  data_clause part(0, pointers, {{1, 3, sizeof(double*)}, {1, 2, sizeof(double)}});
  part.data.pointer_level = 1;
  const acc::byte_range whole = acc::whole_range(part.data);
  CHECK(whole.first == reinterpret_cast<std::byte*>(pointers + 1));
  CHECK(whole.bytes == 3 * sizeof(double*));
  const auto rows = acc::rows(part.data);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].pointer == reinterpret_cast<std::byte*>(pointers + 1));
  CHECK(acc::whole_range(rows[0].points).first == reinterpret_cast<std::byte*>(first + 1));
  CHECK(acc::whole_range(rows[1].points).first == reinterpret_cast<std::byte*>(second + 1));
  CHECK(acc::whole_range(rows[1].points).bytes == 2 * sizeof(double));
  CHECK(acc::rows(data_clause(0, pointers, 8).data).empty());
}

TEST_CASE("rows of an array with two dimensions of pointers are found by both") {
  int cells[4];
  int* grid[2][3] = {{cells, cells + 1, nullptr}, {nullptr, cells + 2, cells + 3}};
  data_clause part(0, grid, {{0, 2, sizeof grid[0]}, {1, 2, sizeof(int*)}, {0, 1, sizeof(int)}});
  part.data.pointer_level = 2;
  std::vector<void*> found;
  for (const acc::pointed_row& one : acc::rows(part.data)) found.push_back(one.points.base);
  CHECK(found == std::vector<void*>{cells + 1, cells + 2, cells + 3});
}
