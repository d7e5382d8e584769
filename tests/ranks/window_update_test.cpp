#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/random_types.hpp"
#include "ranks/thrown_class.hpp"
#include "ranks/windows/type_description.hpp"
#include "ranks/windows/window_update.hpp"

using namespace stretto;
using ranks::data_part, ranks::datatype_ref, ranks::predefined_operator;

namespace {

const ranks::datatype& type_at(std::uintptr_t handle) { return *ranks::predefined_type(handle); }
const ranks::reduction_operation& operation_at(predefined_operator which) {
  return *ranks::predefined_operation(static_cast<std::uintptr_t>(which));
}

/// Elements of one type at random places of an array.
struct scattered_elements {
  scattered_elements(std::mt19937_64& random, const ranks::datatype& element, std::int64_t count) {
    places.resize(static_cast<std::size_t>(count) * (1 + random() % 3));
    std::iota(places.begin(), places.end(), 0);
    array_length = std::ssize(places);
    if (random() % 3) std::ranges::shuffle(places, random);
    places.resize(static_cast<std::size_t>(count));
    type = ranks::make_indexed_block(1, places, element);
    type->commit();
  }

  std::vector<std::int64_t> places;
  std::int64_t array_length;
  datatype_ref type;
};

template <class Value>
std::vector<Value> random_values(std::mt19937_64& random, std::int64_t count) {
  std::vector<Value> values(static_cast<std::size_t>(count));
  for (Value& value : values) value = static_cast<Value>(random());
  return values;
}

template <class Value>
Value combined(predefined_operator which, Value origin, Value target) {
  using enum predefined_operator;
  switch (which) {
    case sum: return static_cast<Value>(static_cast<std::uint64_t>(origin) + static_cast<std::uint64_t>(target));
    case max: return std::max(origin, target);
    case bitwise_xor: return static_cast<Value>(origin ^ target);
    case replace: return origin;
    default: return target;
  }
}

/// Accumulates and fetches as MPI defines it, element by element.
template <class Value>
void check_random_update(std::uint64_t seed, const ranks::datatype& element) {
  std::mt19937_64 random(seed);
  constexpr std::array operators{predefined_operator::sum, predefined_operator::max, predefined_operator::bitwise_xor,
                                 predefined_operator::replace, predefined_operator::no_operation};
  const predefined_operator which = operators[random() % operators.size()];
  const auto count = static_cast<std::int64_t>(1 + random() % (random() % 4 ? 30 : 3000));
  const scattered_elements from(random, element, count), to(random, element, count), old(random, element, count);
  const auto origin = random_values<Value>(random, from.array_length);
  auto target = random_values<Value>(random, to.array_length), expected = target;
  auto result = random_values<Value>(random, old.array_length), expected_result = result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    Value& place = expected[static_cast<std::size_t>(to.places[i])];
    expected_result[static_cast<std::size_t>(old.places[i])] = place;
    place = combined(which, origin[static_cast<std::size_t>(from.places[i])], place);
  }
  base::spin_lock lock;
  const bool reads_origin = which != predefined_operator::no_operation;
  ranks::update_elements(ranks::element_update(operation_at(which), *to.type),
                         {reads_origin ? data_part(origin.data(), 1, *from.type) : data_part(),
                          data_part(target.data(), 1, *to.type), data_part(result.data(), 1, *old.type)},
                         lock);
  REQUIRE(target == expected);
  REQUIRE(result == expected_result);
}

struct double_int {
  double value;
  int index;
};

}  // namespace

TEST_CASE("random accumulates change each element as the operation says, and fetch what was there") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(600, 20'000); ++seed) {
    CAPTURE(seed);
    check_random_update<std::int8_t>(seed, type_at(0x240));
    check_random_update<std::int16_t>(seed, type_at(0x248));
    check_random_update<std::int32_t>(seed, type_at(0x250));
    check_random_update<std::int64_t>(seed, type_at(0x258));
  }
}

TEST_CASE("pairs keep the smaller value with its index, and the bytes between pairs") {
  std::array<double_int, 2> origin{{{2.5, 7}, {9, 1}}}, target{{{3.5, 1}, {-1, 4}}};
  unsigned char gap[4] = {1, 2, 3, 4};
  std::memcpy(reinterpret_cast<char*>(&target[0]) + 12, gap, 4);
  base::spin_lock lock;
  const ranks::datatype& pair = type_at(0x229);
  ranks::update_elements(ranks::element_update(operation_at(predefined_operator::min_location), pair),
                         {data_part(origin.data(), 2, pair), data_part(target.data(), 2, pair), {}}, lock);
  CHECK(target[0].value == 2.5);
  CHECK(target[0].index == 7);
  CHECK(target[1].value == -1);
  CHECK(target[1].index == 4);
  CHECK(std::memcmp(reinterpret_cast<char*>(&target[0]) + 12, gap, 4) == 0);
}

TEST_CASE("accumulates of several threads are atomic for each element") {
  std::vector<std::int32_t> target(500);
  base::spin_lock lock;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      const std::vector<std::int32_t> ones(500, 1);
      for (int i = 0; i < 50; ++i) {
        std::vector<std::int64_t> places(500);
        std::iota(places.begin(), places.end(), 0);
        if (i % 2) std::ranges::shuffle(places, random);
        const datatype_ref type = ranks::make_indexed_block(1, places, type_at(0x250));
        type->commit();
        ranks::update_elements(ranks::element_update(operation_at(predefined_operator::sum), *type),
                               {data_part(ones.data(), 500, type_at(0x250)), data_part(target.data(), 1, *type), {}},
                               lock);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(target == std::vector<std::int32_t>(500, 200));
}

TEST_CASE("a value is exchanged only if it is the expected one") {
  std::int32_t target = 5, desired = 8, expected = 4, result = 0;
  base::spin_lock lock;
  const auto exchange = [&] {
    ranks::exchange_value(reinterpret_cast<std::byte*>(&target), {&desired, &expected, &result, 4}, lock);
  };
  exchange();
  CHECK(target == 5);
  CHECK(result == 5);
  expected = 5;
  exchange();
  CHECK(target == 8);
  CHECK(result == 5);
}

TEST_CASE("the elements of an accumulate are of one predefined type, for which MPI defines the operation") {
  const auto thrown = [](predefined_operator which, const ranks::datatype& type) {
    return test::thrown_class([&] { ranks::element_update(operation_at(which), type); });
  };
  const std::array<const ranks::datatype*, 2> types{&type_at(0x250), &type_at(0x214)};
  const std::array<std::int64_t, 2> lengths{1, 1}, places{0, 8};
  const datatype_ref mixed = ranks::make_struct(lengths, places, types);
  CHECK(thrown(predefined_operator::sum, *mixed) == ranks::error_class::type);
  CHECK(thrown(predefined_operator::bitwise_or, type_at(0x214)) == ranks::error_class::op);
  CHECK(thrown(predefined_operator::min_location, type_at(0x250)) == ranks::error_class::op);
  CHECK(thrown(predefined_operator::replace, type_at(0x229)) == ranks::error_class::success);
  const datatype_ref pairs = ranks::make_vector(2, 1, 3, type_at(0x229));
  CHECK(ranks::element_type(*pairs) == &type_at(0x229));
  CHECK(thrown(predefined_operator::sum, *pairs) == ranks::error_class::op);
  const std::array<std::int64_t, 2> sizes{4, 4}, parts{2, 2}, starts{1, 1};
  const datatype_ref part = ranks::make_subarray(sizes, parts, starts, ranks::array_order::c, type_at(0x214));
  CHECK(ranks::element_type(*part) == &type_at(0x214));
}
