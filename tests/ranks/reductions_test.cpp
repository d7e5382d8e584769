#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/model_operation.hpp"
#include "ranks/random_job.hpp"

using namespace stretto;
using test::collective_cases, test::index, test::integer_type, test::integers, test::modelled_operation,
    test::random_job, test::rank_memory;

namespace {

/// A job in which each rank has values to combine.
struct reduction_job : random_job {
  explicit reduction_job(std::uint64_t seed) : random_job(seed), combined_by(any_operation(random)) {
    type = type_for(random, combined_by);
    is_in_place = random.one_in(3);
  }

  /// Gives each rank `count` elements.
  void make_values(std::int64_t count) {
    elements = count;
    for (int i = 0; i < size; ++i) {
      values.push_back(random.values(count * type.integers));
      in.emplace_back(count * type.type->extent());
      out.emplace_back(count * type.type->extent());
      in.back().put(type, 0, values.back());
    }
  }
  /// The values of lower ranks, combined with those of a rank.
  integers with_next(const integers& lower, int rank) const {
    integers right = values[index(rank)];
    combined_by.model(lower, right);
    return right;
  }
  /// The values of all ranks, combined.
  integers combined() const {
    integers result = values[0];
    for (int i = 1; i < size; ++i) result = with_next(result, i);
    return result;
  }
  /// The part of some elements.
  integers part(const integers& all, std::int64_t first, std::int64_t last) const {
    return integers(all.begin() + first * type.integers, all.begin() + last * type.integers);
  }
  ranks::reduction_buffers buffers(int rank, bool uses_place) {
    if (uses_place) out[index(rank)].put(type, 0, values[index(rank)]);
    return {uses_place ? ranks::in_place_buffer() : in[index(rank)].at(), out[index(rank)].at(), elements,
            type.type.get(), &*combined_by.operation};
  }
  void expect(int rank, const integers& result) { out[index(rank)].expect(type, 0, result); }
  void call_with(ranks::collective_kind kind, const ranks::reduction_buffers& buffers) {
    call({kind, kind == ranks::collective_kind::reduce ? root : 0, {}, {}, {}, buffers});
  }
  void run_and_compare() {
    run();
    for (const rank_memory& memory : in) REQUIRE(memory.is_as_expected());
    for (const rank_memory& memory : out) REQUIRE(memory.is_as_expected());
  }

  modelled_operation combined_by;
  integer_type type;
  bool is_in_place = false;
  std::int64_t elements = 0;
  std::vector<integers> values;
  std::vector<rank_memory> in, out;
};

}  // namespace

TEST_CASE("a reduction combines the values of all ranks in their order") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    reduction_job all(seed);
    all.make_values(all.random.length());
    for (int i = 0; i < all.size; ++i) {
      ranks::reduction_buffers buffers = all.buffers(i, all.is_in_place && i == all.root);
      if (i == all.root) all.expect(i, all.combined());
      else buffers.out = nullptr;
      all.call_with(ranks::collective_kind::reduce, buffers);
    }
    all.run_and_compare();
  }
}

TEST_CASE("a reduction to all gives each rank the values of all in their order") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    reduction_job all(seed);
    all.make_values(all.random.length());
    const integers result = all.combined();
    for (int i = 0; i < all.size; ++i) {
      const ranks::reduction_buffers buffers = all.buffers(i, all.is_in_place);
      all.expect(i, result);
      all.call_with(ranks::collective_kind::allreduce, buffers);
    }
    all.run_and_compare();
  }
}

TEST_CASE("prefix reductions combine the values of lower ranks in their order") {
  for (std::uint64_t seed = 0; seed < collective_cases(); ++seed) {
    CAPTURE(seed);
    reduction_job all(seed);
    all.make_values(all.random.length());
    const bool is_exclusive = all.random.one_in(2);
    integers result;
    for (int i = 0; i < all.size; ++i) {
      const ranks::reduction_buffers buffers = all.buffers(i, all.is_in_place);
      if (is_exclusive && i > 0) all.expect(i, result);
      result = i == 0 ? all.values[0] : all.with_next(result, i);
      if (!is_exclusive) all.expect(i, result);
      all.call_with(is_exclusive ? ranks::collective_kind::exscan : ranks::collective_kind::scan, buffers);
    }
    all.run_and_compare();
  }
}

TEST_CASE("a scattered reduction gives each rank its part of the result") {
  for (std::uint64_t seed = 0; seed < collective_cases() / 2; ++seed) {
    CAPTURE(seed);
    reduction_job all(seed);
    const bool are_equal = all.random.one_in(2), has_large_counts = all.random.one_in(2);
    const std::int64_t common = all.random.one_in(40) ? 10'000 : all.random.length() / 8;
    std::vector<std::int64_t> counts, bounds{0};
    for (int i = 0; i < all.size; ++i) {
      counts.push_back(are_equal ? common : all.random.length() / 8);
      bounds.push_back(bounds.back() + counts.back());
    }
    const std::vector<int> small(counts.begin(), counts.end());
    all.make_values(bounds.back());
    const integers result = all.combined();
    for (int i = 0; i < all.size; ++i) {
      ranks::reduction_buffers buffers = all.buffers(i, all.is_in_place);
      all.expect(i, all.part(result, bounds[index(i)], bounds[index(i) + 1]));
      const ranks::number_list numbers =
          has_large_counts ? ranks::number_list(counts.data()) : ranks::number_list(small.data());
      if (!are_equal) {
        all.call({ranks::collective_kind::reduce_scatter, 0, {}, {}, {}, buffers, numbers});
        continue;
      }
      buffers.count = common;
      all.call_with(ranks::collective_kind::reduce_scatter_block, buffers);
    }
    all.run_and_compare();
  }
}

TEST_CASE("all ranks get the same bits of sums that depend on their order") {
  for (std::uint64_t seed = 0; seed < collective_cases() / 4; ++seed) {
    CAPTURE(seed);
    random_job all(seed);
    const auto count = all.random.number(1, 4000);
    std::vector<std::vector<float>> in(index(all.size)), out(index(all.size));
    for (int i = 0; i < all.size; ++i) {
      for (std::int64_t k = 0; k < count; ++k) {
        in[index(i)].push_back(static_cast<float>(all.random.number(-1'000'000, 1'000'000)) * 1.1e-3f);
      }
      out[index(i)].resize(in[index(i)].size());
      build_allreduce(all.job[i], all.group(i),
                      {in[index(i)].data(), out[index(i)].data(), count, ranks::predefined_type(0x210),
                       ranks::predefined_operation(0x21)});
    }
    all.job.run();
    for (const auto& each : out) REQUIRE(each == out[0]);
  }
}

TEST_CASE("a schedule that combines by a program's function is for its rank alone") {
  int value = 1, result = 0;
  const ranks::datatype* integer = ranks::predefined_type(0x209);
  ranks::schedule steps;
  build_allreduce(steps, {0, 2}, {&value, &result, 1, integer, ranks::predefined_operation(0x21)});
  CHECK_FALSE(steps.calls_program());
  const ranks::operation_ref own(
      new ranks::reduction_operation(test::combine_elements<test::add_all, int>, ranks::commutativity::commutative));
  steps.clear();
  build_allreduce(steps, {0, 2}, {&value, &result, 1, integer, &*own});
  CHECK(steps.calls_program());
}
