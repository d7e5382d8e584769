#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/model_operation.hpp"

using namespace stretto;
using ranks::combiner, ranks::find_combine_function, ranks::predefined_operation, ranks::predefined_operator,
    ranks::predefined_type;

namespace {

using enum ranks::predefined_operator;

/// Applies an operation to arrays of several lengths and compares each value with a model.
template <typename T, typename Model>
void compare_with_model(std::uintptr_t type, predefined_operator which, const std::vector<T>& values,
                        const Model& model) {
  CAPTURE(type);
  CAPTURE(static_cast<int>(which));
  for (std::size_t count = 0; count <= values.size() / 2; ++count) {
    std::vector<T> in(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<T> inout(values.end() - static_cast<std::ptrdiff_t>(count), values.end()), expected = inout;
    for (std::size_t i = 0; i < count; ++i) expected[i] = model(in[i], inout[i]);
    const combiner combine(*predefined_operation(static_cast<std::uintptr_t>(which)), *predefined_type(type));
    combine(in.data(), inout.data(), static_cast<std::int64_t>(count));
    REQUIRE(inout == expected);
  }
}

template <typename T>
std::vector<T> small_values() {
  std::vector<T> values;
  std::mt19937 random(7);
  for (int i = 0; i < 180; ++i) values.push_back(static_cast<T>(random() % 7));
  return values;
}

template <typename T>
void check_order_and_arithmetic(std::uintptr_t type, std::vector<T> values = small_values<T>()) {
  compare_with_model<T>(type, sum, values, [](T a, T b) { return static_cast<T>(a + b); });
  compare_with_model<T>(type, product, values, [](T a, T b) { return static_cast<T>(a * b); });
  compare_with_model<T>(type, min, values, [](T a, T b) { return std::min(a, b); });
  compare_with_model<T>(type, max, values, [](T a, T b) { return std::max(a, b); });
}

template <typename T>
void check_integer(std::uintptr_t type) {
  std::vector<T> values = small_values<T>();
  for (std::size_t i = 0; i < values.size(); i += 3) values[i] = static_cast<T>(0 - values[i]);
  check_order_and_arithmetic<T>(type, values);
  compare_with_model<T>(type, bitwise_and, values, [](T a, T b) { return static_cast<T>(a & b); });
  compare_with_model<T>(type, bitwise_or, values, [](T a, T b) { return static_cast<T>(a | b); });
  compare_with_model<T>(type, bitwise_xor, values, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <typename T>
void check_logical(std::uintptr_t type) {
  const std::vector<T> values = small_values<T>();
  compare_with_model<T>(type, logical_and, values, [](T a, T b) { return static_cast<T>(a && b); });
  compare_with_model<T>(type, logical_or, values, [](T a, T b) { return static_cast<T>(a || b); });
  compare_with_model<T>(type, logical_xor, values, [](T a, T b) { return static_cast<T>(!a != !b); });
}

template <typename T>
void check_complex(std::uintptr_t type) {
  std::vector<std::complex<T>> values;
  for (int i = 0; i < 90; ++i) values.emplace_back(static_cast<T>(i % 5 - 2), static_cast<T>(i % 7 - 3));
  using value = std::complex<T>;
  compare_with_model<value>(type, sum, values, [](value a, value b) { return a + b; });
  compare_with_model<value>(type, product, values, [](value a, value b) { return a * b; });
}

template <typename Value, typename Index>
struct located {
  Value value;
  Index index;
  bool operator==(const located&) const = default;
};

template <typename Value, typename Index>
void check_locations(std::uintptr_t type) {
  std::vector<located<Value, Index>> values;
  std::mt19937 random(3);
  for (int i = 0; i < 80; ++i) values.push_back({static_cast<Value>(random() % 4), static_cast<Index>(random() % 9)});
  using pair = located<Value, Index>;
  REQUIRE(predefined_type(type)->extent() == sizeof(pair));
  compare_with_model<pair>(type, min_location, values, [](pair a, pair b) {
    if (a.value == b.value) return pair{a.value, std::min(a.index, b.index)};
    return a.value < b.value ? a : b;
  });
  compare_with_model<pair>(type, max_location, values, [](pair a, pair b) {
    if (a.value == b.value) return pair{a.value, std::min(a.index, b.index)};
    return a.value > b.value ? a : b;
  });
}

using names = std::set<std::string_view>;

// The groups of MPI 4.1, section 6.9.2, and MPI_CHAR.
const names c_integers = {"MPI_INT",         "MPI_LONG",          "MPI_SHORT",         "MPI_UNSIGNED_SHORT",
                          "MPI_UNSIGNED",    "MPI_UNSIGNED_LONG", "MPI_LONG_LONG_INT", "MPI_UNSIGNED_LONG_LONG",
                          "MPI_INT8_T",      "MPI_INT16_T",       "MPI_INT32_T",       "MPI_INT64_T",
                          "MPI_UINT8_T",     "MPI_UINT16_T",      "MPI_UINT32_T",      "MPI_UINT64_T",
                          "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_CHAR"};
const names fortran_integers = {"MPI_INTEGER",  "MPI_INTEGER1", "MPI_INTEGER2",
                                "MPI_INTEGER4", "MPI_INTEGER8", "MPI_INTEGER16"};
const names floats = {"MPI_FLOAT", "MPI_DOUBLE", "MPI_REAL",  "MPI_DOUBLE_PRECISION", "MPI_LONG_DOUBLE", "MPI_REAL2",
                      "MPI_REAL4", "MPI_REAL8",  "MPI_REAL16"};
const names logicals = {"MPI_LOGICAL",  "MPI_C_BOOL",   "MPI_CXX_BOOL", "MPI_LOGICAL1",
                        "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8", "MPI_LOGICAL16"};
const names bytes = {"MPI_BYTE"};
const names addresses = {"MPI_AINT", "MPI_OFFSET", "MPI_COUNT"};

bool is_complex(std::string_view name) { return name.find("COMPLEX") != name.npos; }

bool is_allowed(predefined_operator which, std::string_view name) {
  const bool is_integer = c_integers.contains(name) || fortran_integers.contains(name) || addresses.contains(name);
  switch (which) {
    case min:
    case max: return is_integer || floats.contains(name);
    case sum:
    case product: return is_integer || floats.contains(name) || is_complex(name);
    case logical_and:
    case logical_or:
    case logical_xor: return c_integers.contains(name) || logicals.contains(name) || addresses.contains(name);
    case bitwise_and:
    case bitwise_or:
    case bitwise_xor: return is_integer || bytes.contains(name);
    default: return false;
  }
}

constexpr predefined_operator all_operators[] = {sum,          min,          max,         product,     bitwise_and,
                                                 bitwise_or,   bitwise_xor,  logical_and, logical_or,  logical_xor,
                                                 min_location, max_location, replace,     no_operation};

}  // namespace

TEST_CASE("predefined operations are defined for the types that MPI allows") {
  for (const predefined_operator which : all_operators) {
    for (const ranks::basic_type& basic : ranks::basic_types()) {
      CAPTURE(static_cast<int>(which));
      CAPTURE(basic.name);
      const ranks::datatype& type = *predefined_type(basic.number);
      REQUIRE((find_combine_function(which, type) != nullptr) == is_allowed(which, basic.name));
    }
    for (const ranks::pair_type& pair : ranks::pair_types()) {
      const bool is_location = which == min_location || which == max_location;
      REQUIRE((find_combine_function(which, *predefined_type(pair.number)) != nullptr) == is_location);
    }
  }
}

TEST_CASE("an operation that is not defined for a type is an error of the class op") {
  const auto class_of = [](const ranks::datatype& type) {
    try {
      combiner(*predefined_operation(0x21), type);
    } catch (const ranks::call_error& error) {
      return error.which();
    }
    return ranks::error_class::success;
  };
  CHECK(class_of(*predefined_type(0x209)) == ranks::error_class::success);
  CHECK(class_of(*predefined_type(0x23c)) == ranks::error_class::op);
  CHECK(class_of(*predefined_type(0x22b)) == ranks::error_class::op);
  CHECK(class_of(*ranks::make_contiguous(2, *predefined_type(0x209))) == ranks::error_class::op);
  // A copy of a predefined type, and one that Fortran asks for, count as predefined.
  CHECK(class_of(*ranks::make_dup(*predefined_type(0x209))) == ranks::error_class::success);
  CHECK(class_of(*ranks::make_f90_real(10, 30)) == ranks::error_class::success);
  CHECK(class_of(*ranks::make_f90_integer(20)) == ranks::error_class::success);
}

TEST_CASE("predefined operations compute what MPI says, for any count") {
  check_integer<std::int8_t>(0x240);
  check_integer<std::uint16_t>(0x249);
  check_integer<short>(0x208);
  check_integer<int>(0x209);
  check_integer<unsigned>(0x20d);
  check_integer<long>(0x20a);
  check_integer<std::uint64_t>(0x259);
  check_integer<std::intptr_t>(0x201);
  check_integer<int>(0x219);
  check_order_and_arithmetic<float>(0x210);
  check_order_and_arithmetic<double>(0x214);
  check_order_and_arithmetic<long double>(0x220);
  check_logical<int>(0x209);
  check_logical<std::uint8_t>(0x238);
  check_logical<int>(0x218);
  check_complex<float>(0x212);
  check_complex<double>(0x217);
  check_complex<long double>(0x224);
  check_locations<float, int>(0x228);
  check_locations<double, int>(0x229);
  check_locations<long, int>(0x22a);
  check_locations<int, int>(0x22b);
  check_locations<short, int>(0x22c);
  check_locations<long double, int>(0x22d);
  check_locations<float, float>(0x230);
  check_locations<double, double>(0x231);
}

TEST_CASE("sums of numbers that no type of C++ has are right") {
  // 1.5 + 0.25 as binary16: sign, 5 bits of exponent, 10 of fraction.
  std::uint16_t half_in = 0x3e00, half = 0x3400;
  combiner(*predefined_operation(0x21), *predefined_type(0x2ca))(&half_in, &half, 1);
  CHECK(half == 0x3f00);
  // 3 + 4 with a carry out of the lower 64 bits
  std::uint64_t wide_in[2] = {~std::uint64_t{0}, 3}, wide[2] = {1, 4};
  combiner(*predefined_operation(0x21), *predefined_type(0x2e1))(wide_in, wide, 1);
  CHECK(wide[0] == 0);
  CHECK(wide[1] == 8);
  // 1.0 + 1.0 as binary128: the exponent is in the upper 16 bits.
  std::uint64_t one[2] = {0, std::uint64_t{0x3fff} << 48}, two[2] = {0, std::uint64_t{0x3fff} << 48};
  combiner(*predefined_operation(0x21), *predefined_type(0x2e2))(one, two, 1);
  CHECK(two[0] == 0);
  CHECK(two[1] == std::uint64_t{0x4000} << 48);
}

TEST_CASE("integer overflow wraps") {
  int in = 2'000'000'000, inout = 2'000'000'000;
  combiner(*predefined_operation(0x21), *predefined_type(0x209))(&in, &inout, 1);
  CHECK(inout == static_cast<int>(4'000'000'000u));
}

TEST_CASE("bytes between a value and its index stay as they are") {
  unsigned char in[8], inout[8];
  std::memset(in, 0x11, sizeof in);
  std::memset(inout, 0x22, sizeof inout);
  combiner(*predefined_operation(0x38), *predefined_type(0x22c))(in, inout, 1);
  CHECK(inout[0] == 0x11);
  CHECK(inout[2] == 0x22);
  CHECK(inout[4] == 0x11);
}

TEST_CASE("a program's function gets the handle of the datatype") {
  const ranks::datatype& integer = *predefined_type(0x209);
  CHECK(reinterpret_cast<std::uintptr_t>(handle_of(integer)) == 0x209);
  CHECK(reinterpret_cast<std::uintptr_t>(handle_of(*predefined_type(0x22c))) == 0x22c);
  const ranks::datatype_ref derived = ranks::make_contiguous(2, integer);
  derived->commit();
  CHECK(reinterpret_cast<const void*>(handle_of(*derived)) == derived.get());
  const ranks::operation_ref compose(new ranks::reduction_operation(
      test::combine_elements<test::compose_maps, std::int64_t>, ranks::commutativity::ordered));
  const std::uint32_t in[] = {2, 3, 5, 7};
  std::uint32_t inout[] = {10, 1, 100, 9};
  combiner(*compose, *derived)(in, inout, 2);
  const std::vector<std::uint32_t> expected = {20, 31, 500, 709};
  CHECK(std::vector<std::uint32_t>(inout, inout + 4) == expected);
}
