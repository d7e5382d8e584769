#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/type_constructors.hpp"
#include "ranks/datatypes/type_layout.hpp"

using namespace stretto;
using ranks::datatype_ref, ranks::type_constructor, ranks::type_arguments;

namespace {

using list = std::vector<std::int64_t>;

const ranks::datatype& int_type() { return *ranks::predefined_type(0x209); }
const ranks::datatype& char_type() { return *ranks::predefined_type(0x243); }
const ranks::datatype& double_type() { return *ranks::predefined_type(0x214); }

void check_bounds(const datatype_ref& type, std::int64_t lb, std::int64_t extent, std::int64_t true_lb,
                  std::int64_t true_extent) {
  CHECK(type->bounds().lb == lb);
  CHECK(type->extent() == extent);
  CHECK(type->bounds().true_lb == true_lb);
  CHECK(type->true_extent() == true_extent);
}

void check_arguments(const datatype_ref& type, type_constructor constructor, const std::vector<int>& integers,
                     const list& addresses, const list& large_counts, std::size_t types = 1) {
  const type_arguments& arguments = type->arguments();
  CHECK(arguments.constructor == constructor);
  CHECK(arguments.integers == integers);
  CHECK(arguments.addresses == addresses);
  CHECK(arguments.large_counts == large_counts);
  CHECK(arguments.types.size() == types);
}

template <typename Make>
ranks::error_class class_thrown_by(const Make& make) {
  try {
    make();
  } catch (const ranks::call_error& e) {
    return e.which();
  }
  return ranks::error_class::success;
}

}  // namespace

TEST_CASE("an extent is padded to the alignment of the data") {
  const list ones{1, 1}, at{0, 9};
  check_bounds(ranks::make_hvector(2, 1, 9, int_type()), 0, 16, 0, 13);
  check_bounds(ranks::make_hindexed(ones, at, int_type()), 0, 16, 0, 13);
  const ranks::datatype* const types[] = {&double_type(), &char_type()};
  check_bounds(ranks::make_struct(ones, list{0, 8}, types), 0, 16, 0, 9);
}

TEST_CASE("a resized type within another decides its bounds") {
  const datatype_ref narrow = ranks::make_resized(char_type(), 0, 3);
  const ranks::datatype* const types[] = {narrow.get(), &int_type()};
  check_bounds(ranks::make_struct(list{1, 1}, list{0, 4}, types), 0, 3, 0, 8);
  const datatype_ref shifted = ranks::make_resized(int_type(), -4, 16);
  check_bounds(shifted, -4, 16, 0, 4);
  check_bounds(ranks::make_contiguous(3, *shifted), -4, 48, 0, 36);
  const ranks::datatype* const none[] = {shifted.get(), &char_type()};
  check_bounds(ranks::make_struct(list{0, 1}, list{0, 8}, none), 8, 1, 8, 1);
}

TEST_CASE("types without data and with negative strides have the bounds of the standard") {
  check_bounds(ranks::make_contiguous(0, int_type()), 0, 0, 0, 0);
  check_bounds(ranks::make_vector(0, 1, 3, int_type()), 0, 0, 0, 0);
  check_bounds(ranks::make_hindexed(list{0, 1}, list{0, 9}, int_type()), 9, 4, 9, 4);
  check_bounds(ranks::make_vector(2, 1, -3, int_type()), -12, 16, -12, 16);
  check_bounds(ranks::make_subarray(list{4, 5}, list{2, 3}, list{1, 1}, ranks::array_order::c, int_type()), 0, 80, 24,
               32);
}

TEST_CASE("a type returns the arguments that made it") {
  using enum type_constructor;
  const auto large = ranks::count_kind::large;
  check_arguments(ranks::make_vector(2, 3, 4, int_type()), vector, {2, 3, 4}, {}, {});
  check_arguments(ranks::make_vector(2, 3, 4, int_type(), large), vector, {}, {}, {2, 3, 4});
  check_arguments(ranks::make_hvector(2, 3, 40, int_type()), hvector, {2, 3}, {40}, {});
  check_arguments(ranks::make_hvector(2, 3, 40, int_type(), large), hvector, {}, {}, {2, 3, 40});
  check_arguments(ranks::make_indexed(list{1, 2}, list{3, 5}, int_type()), indexed, {2, 1, 2, 3, 5}, {}, {});
  check_arguments(ranks::make_hindexed(list{1, 2}, list{3, 50}, int_type()), hindexed, {2, 1, 2}, {3, 50}, {});
  check_arguments(ranks::make_indexed_block(7, list{3, 50}, int_type()), indexed_block, {2, 7, 3, 50}, {}, {});
  check_arguments(ranks::make_hindexed_block(7, list{3, 50}, int_type()), hindexed_block, {2, 7}, {3, 50}, {});
  check_arguments(ranks::make_resized(int_type(), -1, 9), resized, {}, {-1, 9}, {});
  check_arguments(ranks::make_resized(int_type(), -1, 9, large), resized, {}, {}, {-1, 9});
  check_arguments(ranks::make_dup(int_type()), dup, {}, {}, {});
  const ranks::datatype* const types[] = {&int_type(), &char_type()};
  check_arguments(ranks::make_struct(list{1, 2}, list{0, 8}, types), structure, {2, 1, 2}, {0, 8}, {}, 2);
  check_arguments(ranks::make_struct(list{1, 2}, list{0, 8}, types, large), structure, {}, {}, {2, 1, 2, 0, 8}, 2);
  check_arguments(ranks::make_subarray(list{4, 5}, list{2, 3}, list{1, 0}, ranks::array_order::fortran, int_type()),
                  subarray, {2, 4, 5, 2, 3, 1, 0, 15}, {}, {});
  const int kinds[] = {18}, arguments[] = {2}, processes[] = {3};
  const list sizes{10};
  const ranks::array_distribution array{3, 1, sizes, kinds, arguments, processes, ranks::array_order::c};
  check_arguments(ranks::make_darray(array, int_type()), darray, {3, 1, 1, 10, 18, 2, 3, 12}, {}, {});
  check_arguments(ranks::make_darray(array, int_type(), large), darray, {3, 1, 1, 18, 2, 3, 12}, {}, {10});
  check_arguments(ranks::make_f90_real(7, 30), f90_real, {7, 30}, {}, {}, 0);
}

TEST_CASE("a copy has the arguments and the bounds of its original, and is another object") {
  const datatype_ref resized = ranks::make_resized(double_type(), -8, 32);
  const datatype_ref outer = ranks::make_vector(2, 1, 3, *resized);
  const list sizes = {4, 6}, parts = {2, 3}, starts = {1, 2};
  const datatype_ref array = ranks::make_subarray(sizes, parts, starts, ranks::array_order::c, *outer);
  for (const datatype_ref& original : {resized, outer, array}) {
    const datatype_ref copy = ranks::make_copy(*original);
    CHECK(copy.get() != original.get());
    check_bounds(copy, original->bounds().lb, original->extent(), original->bounds().true_lb, original->true_extent());
    const type_arguments& arguments = original->arguments();
    check_arguments(copy, arguments.constructor, arguments.integers, arguments.addresses, arguments.large_counts);
    CHECK(copy->signature() == original->signature());
    CHECK(copy->size() == original->size());
  }
}

TEST_CASE("Fortran's types have at least the precision and range that is asked for") {
  CHECK(ranks::make_f90_real(6, 37)->size() == 4);
  CHECK(ranks::make_f90_real(7, -32766)->size() == 8);
  CHECK(ranks::make_f90_complex(15, 308)->size() == 32);
  CHECK(ranks::make_f90_integer(9)->size() == 4);
  CHECK(ranks::make_f90_integer(10)->size() == 8);
}

TEST_CASE("erroneous arguments have their classes") {
  using enum ranks::error_class;
  const ranks::datatype* const null[] = {nullptr};
  CHECK(class_thrown_by([] { ranks::make_contiguous(-1, int_type()); }) == count);
  CHECK(class_thrown_by([] { ranks::make_vector(-1, 1, 1, int_type()); }) == count);
  CHECK(class_thrown_by([] { ranks::make_vector(1, -1, 1, int_type()); }) == argument);
  CHECK(class_thrown_by([] { ranks::make_indexed(list{-2}, list{0}, int_type()); }) == argument);
  CHECK(class_thrown_by([] { ranks::make_indexed(list{1, 1}, list{0}, int_type()); }) == argument);
  CHECK(class_thrown_by([] { ranks::make_indexed_block(-1, list{0}, int_type()); }) == argument);
  CHECK(class_thrown_by([&] { ranks::make_struct(list{1}, list{0}, null); }) == type);
  CHECK(class_thrown_by([] { ranks::make_f90_real(40, 10); }) == argument);
  CHECK(class_thrown_by([] { ranks::make_f90_integer(39); }) == argument);
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(class_thrown_by([&] { ranks::make_contiguous(huge, int_type()); }) == value_too_large);
  CHECK(class_thrown_by([&] { ranks::make_hvector(3, 1, huge, int_type()); }) == value_too_large);
  CHECK(class_thrown_by([&] { ranks::make_hindexed(list{1, 1}, list{-huge, huge}, int_type()); }) == value_too_large);
  CHECK(class_thrown_by([&] { ranks::make_resized(int_type(), huge, huge); }) == value_too_large);
  CHECK(class_thrown_by([&] { ranks::make_hvector(2, 1, huge, int_type())->commit(); }) == success);
}

TEST_CASE("erroneous parts of arrays are refused") {
  const auto subarray = [](const list& sizes, const list& parts, const list& starts, int order) {
    return class_thrown_by(
        [&] { ranks::make_subarray(sizes, parts, starts, static_cast<ranks::array_order>(order), int_type()); });
  };
  using enum ranks::error_class;
  CHECK(subarray({4}, {2}, {2}, 12) == success);
  CHECK(subarray({4}, {2}, {3}, 12) == argument);
  CHECK(subarray({4}, {0}, {0}, 12) == argument);
  CHECK(subarray({4}, {5}, {0}, 12) == argument);
  CHECK(subarray({4}, {2}, {-1}, 12) == argument);
  CHECK(subarray({0}, {0}, {0}, 12) == argument);
  CHECK(subarray({}, {}, {}, 12) == argument);
  CHECK(subarray({4}, {2}, {1}, 13) == argument);
  CHECK(subarray({4, 4}, {2}, {1}, 12) == argument);
  const auto darray = [](int size, int rank, std::vector<int> kind, std::vector<int> length, std::vector<int> grid) {
    return class_thrown_by([&] {
      const list sizes{10};
      ranks::make_darray({size, rank, sizes, kind, length, grid, ranks::array_order::c}, int_type());
    });
  };
  CHECK(darray(3, 0, {17}, {4}, {3}) == success);
  CHECK(darray(3, 0, {17}, {3}, {3}) == argument);
  CHECK(darray(3, 3, {17}, {4}, {3}) == argument);
  CHECK(darray(3, 0, {16}, {19}, {3}) == argument);
  CHECK(darray(3, 0, {18}, {0}, {3}) == argument);
  CHECK(darray(3, 0, {15}, {19}, {3}) == argument);
  CHECK(darray(4, 0, {18}, {19}, {3}) == argument);
  CHECK(darray(3, 0, {18, 18}, {19}, {3}) == argument);
}

TEST_CASE("types live as long as those that are made of them, and handles keep one") {
  datatype_ref inner = ranks::make_vector(4, 1, 2, int_type());
  datatype_ref outer = ranks::make_contiguous(2, *inner);
  inner = datatype_ref();
  CHECK(outer->map().blocks[0].type->size() == 16);
  const ranks::datatype* handle = datatype_ref(outer).release();
  outer = datatype_ref();
  CHECK(handle->size() == 32);
  outer = datatype_ref::adopt(handle);
  outer->commit();
  CHECK(ranks::make_dup(*outer)->is_committed());
  CHECK(!ranks::make_contiguous(2, *outer)->is_committed());
}

namespace {

const std::vector<ranks::layout_step>& steps_of(const datatype_ref& type) {
  type->commit();
  return type->layout().steps();
}

}  // namespace

TEST_CASE("adjacent data is one run, whatever constructors made it") {
  const datatype_ref row = ranks::make_contiguous(8, double_type());
  const datatype_ref dense[] = {
      ranks::make_contiguous(1'000'000'000'000, *row), ranks::make_vector(5, 2, 2, *row),
      ranks::make_indexed(list{1, 2, 3}, list{0, 1, 3}, *row),
      ranks::make_subarray(list{4, 4, 4}, list{2, 4, 4}, list{1, 0, 0}, ranks::array_order::c, *row)};
  for (const datatype_ref& type : dense) {
    REQUIRE(steps_of(type).size() == 1);
    CHECK(steps_of(type)[0].leaf.runs == 1);
    CHECK(steps_of(type)[0].leaf.count == 1);
    CHECK(steps_of(type)[0].leaf.block == type->size());
  }
}

TEST_CASE("regular runs are one loop, whatever their number") {
  const datatype_ref column = ranks::make_resized(double_type(), 0, 800);
  const list every_other{0, 2, 4, 6, 8, 10};
  const datatype_ref regular[] = {ranks::make_vector(1'000'000'000, 1, 100, double_type()),
                                  ranks::make_contiguous(1'000'000'000, *column),
                                  ranks::make_indexed_block(1, every_other, double_type()),
                                  ranks::make_vector(1000, 1, 1, *ranks::make_vector(2, 1, 1, *column))};
  for (const datatype_ref& type : regular) {
    REQUIRE(steps_of(type).size() == 1);
    CHECK(steps_of(type)[0].leaf.runs == 1);
    CHECK(steps_of(type)[0].leaf.block == 8);
  }
  const datatype_ref block =
      ranks::make_subarray(list{100, 100, 100}, list{50, 50, 4}, list{0, 0, 0}, ranks::array_order::c, double_type());
  CHECK(steps_of(block).size() == 3);
}

TEST_CASE("runs that are gigabytes apart or long have steps of their own") {
  const std::int64_t far = std::int64_t{1} << 40;
  const datatype_ref spread = ranks::make_hindexed(list{1, 2, 1, 3}, list{0, 100, far, far + 100}, int_type());
  CHECK(steps_of(spread).size() == 2);
  const datatype_ref repeated = ranks::make_hvector(50, 1, 3 * far, *spread);
  CHECK(steps_of(repeated).size() == 4);
  const datatype_ref long_runs = ranks::make_hvector(50, far, 2 * far, char_type());
  REQUIRE(steps_of(long_runs).size() == 1);
  CHECK(steps_of(long_runs)[0].leaf.block == far);
}
