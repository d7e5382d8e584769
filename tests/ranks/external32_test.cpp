#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "ranks/call_error.hpp"
#include "ranks/datatypes/external32.hpp"
#include "ranks/datatypes/external_value.hpp"
#include "ranks/random_types.hpp"

using namespace stretto;
using test::element_memory, test::modelled_type, test::random_types;

namespace {

template <typename T>
std::vector<int> external_of(std::uintptr_t handle, T value) {
  const ranks::datatype& type = *ranks::predefined_type(handle);
  std::vector<std::byte> external(static_cast<std::size_t>(ranks::external_size(type, 1)));
  std::int64_t position = 0;
  ranks::pack_external(type, &value, 1, external, position);
  T back{};
  position = 0;
  ranks::unpack_external(type, &back, 1, external, position);
  CHECK(std::memcmp(&back, &value, sizeof(T) == 16 ? 10 : sizeof(T)) == 0);
  std::vector<int> bytes;
  for (const std::byte b : external) bytes.push_back(std::to_integer<int>(b));
  return bytes;
}

ranks::error_class class_of_packing(std::uintptr_t handle, const void* value, std::size_t space) {
  std::vector<std::byte> external(space);
  std::int64_t position = 0;
  try {
    ranks::pack_external(*ranks::predefined_type(handle), value, 1, external, position);
  } catch (const ranks::call_error& e) {
    return e.which();
  }
  return ranks::error_class::success;
}

/// Values that any size of the type can hold.
void fill_with_small_values(const modelled_type& made, std::int64_t count, element_memory& memory, unsigned seed) {
  std::mt19937 random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    for (const test::model_element& e : made.model.elements) {
      std::byte* at = memory.origin() + i * made.model.extent() + e.displacement;
      std::memset(at, 0, e.basic->size);
      const int part = e.basic->kind == ranks::value_kind::complex ? e.basic->size / 2 : e.basic->size;
      for (int b = 0; b < e.basic->size; b += part) {
        const auto value = static_cast<long double>(random() % 100);
        if (e.basic->number == 0x220 || e.basic->number == 0x224 || e.basic->number == 0x225) {
          std::memcpy(at + b, &value, 10);
        } else {
          at[b] = static_cast<std::byte>(random() % 100);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("values are big endian and have the sizes of external32") {
  CHECK(external_of(0x209, 0x01020304) == std::vector{1, 2, 3, 4});
  CHECK(external_of(0x20a, -2L) == std::vector{255, 255, 255, 254});
  CHECK(external_of(0x20b, -2LL) == std::vector{255, 255, 255, 255, 255, 255, 255, 254});
  CHECK(external_of(0x20e, 0xfffffffeUL) == std::vector{255, 255, 255, 254});
  CHECK(external_of(0x23c, L'\u20ac') == std::vector{0x20, 0xac});
  CHECK(external_of(0x214, 1.5) == std::vector{0x3f, 0xf8, 0, 0, 0, 0, 0, 0});
  CHECK(external_of(0x243, 'x') == std::vector<int>{'x'});
  CHECK(external_of(0x212, std::array{1.0f, -2.0f}) == std::vector{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
  std::vector<int> quad(16);
  quad[0] = 0xc0, quad[2] = 0x80;
  CHECK(external_of(0x220, -3.0L) == quad);
}

TEST_CASE("values that external32 cannot hold are errors") {
  using enum ranks::error_class;
  for (const long value : {1L << 31, -(1L << 31) - 1, std::numeric_limits<long>::max()}) {
    CHECK(class_of_packing(0x20a, &value, 4) == conversion);
  }
  for (const long value : {(1L << 31) - 1, -(1L << 31), 0L}) CHECK(class_of_packing(0x20a, &value, 4) == success);
  const unsigned long large = 1UL << 32, fits = large - 1;
  CHECK(class_of_packing(0x20e, &large, 4) == conversion);
  CHECK(class_of_packing(0x20e, &fits, 4) == success);
  CHECK(class_of_packing(0x20e, &fits, 3) == truncate);
}

TEST_CASE("every long double returns from external32 as it was") {
  const long double special[] = {0.0L,
                                 -0.0L,
                                 1.0L / 3,
                                 std::numeric_limits<long double>::max(),
                                 std::numeric_limits<long double>::min(),
                                 std::numeric_limits<long double>::infinity(),
                                 std::numeric_limits<long double>::denorm_min(),
                                 std::numeric_limits<long double>::min() / 3};
  for (const long double value : special) external_of(0x220, value);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto digits = static_cast<long double>(random());
    external_of(0x220, std::ldexp(digits, static_cast<int>(random() % 30000) - 15000));
  }
}

TEST_CASE("a number of 128 bits is rounded to the nearest long double") {
  const ranks::basic_type& type = *ranks::find_basic_type(0x220);
  const auto value_of = [&](std::initializer_list<int> low_bytes, int exponent = 0x3fff) {
    std::array<std::byte, 16> external{};
    external[0] = static_cast<std::byte>(exponent >> 8);
    external[1] = static_cast<std::byte>(exponent);
    std::size_t at = 16 - low_bytes.size();
    for (const int b : low_bytes) external[at++] = static_cast<std::byte>(b);
    long double value = 0;
    CHECK(ranks::from_external(type, external.data(), 1, reinterpret_cast<std::byte*>(&value)));
    return value;
  };
  const long double last = std::ldexp(1.0L, -63);
  CHECK(value_of({1}) == 1.0L);
  CHECK(value_of({1, 0, 0, 0, 0, 0, 0}) == 1.0L);         // half of the last digit: to the even one
  CHECK(value_of({1, 0, 0, 0, 0, 0, 1}) == 1.0L + last);  // more than half
  CHECK(value_of({3, 0, 0, 0, 0, 0, 0}) == 1.0L + 2 * last);
  CHECK(value_of({255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}) == 2.0L);
  CHECK(std::isinf(value_of({255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, 0x7ffe)));
  CHECK(std::isnan(value_of({1}, 0x7fff)));
}

TEST_CASE("random types return from external32 as they were") {
  for (std::uint64_t seed = 0; seed < test::scaled<std::uint64_t>(1000, 30'000); ++seed) {
    CAPTURE(seed);
    random_types random(seed);
    const modelled_type made = random.next();
    const std::int64_t count = random.number(0, 3);
    auto displacements = made.model.bytes(count);
    std::ranges::sort(displacements);
    if (std::ranges::adjacent_find(displacements) != displacements.end()) continue;
    element_memory memory(made.model, count), back(made.model, count);
    fill_with_small_values(made, count, memory, static_cast<unsigned>(seed));
    std::int64_t expected = 0;
    for (const test::model_element& e : made.model.elements) expected += e.basic->external_size * count;
    REQUIRE(ranks::external_size(*made.type, count) == expected);
    std::vector<std::byte> external(static_cast<std::size_t>(expected));
    std::int64_t position = 0;
    ranks::pack_external(*made.type, memory.origin(), count, external, position);
    CHECK(position == expected);
    position = 0;
    ranks::unpack_external(*made.type, back.origin(), count, external, position);
    CHECK(position == expected);
    REQUIRE(back.bytes == memory.bytes);
  }
}
