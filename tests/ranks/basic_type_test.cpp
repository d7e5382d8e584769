#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <set>

#include <stretto_mpi/mpi.h>

#include "ranks/datatypes/datatype.hpp"
#include "ranks/error_class.hpp"

using namespace stretto;

namespace {

const ranks::datatype* type_with(MPI_Datatype handle) {
  return ranks::predefined_type(reinterpret_cast<std::uintptr_t>(handle));
}

template <typename T>
void check_type_of(MPI_Datatype handle) {
  const ranks::datatype* type = type_with(handle);
  REQUIRE(type);
  CHECK(type->size() == sizeof(T));
  CHECK(type->alignment() == alignof(T));
  CHECK(type->extent() == sizeof(T));
}

}  // namespace

TEST_CASE("predefined types of C have the sizes of their types") {
  check_type_of<char>(MPI_CHAR);
  check_type_of<short>(MPI_SHORT);
  check_type_of<int>(MPI_INT);
  check_type_of<long>(MPI_LONG);
  check_type_of<long long>(MPI_LONG_LONG_INT);
  check_type_of<unsigned long>(MPI_UNSIGNED_LONG);
  check_type_of<float>(MPI_FLOAT);
  check_type_of<double>(MPI_DOUBLE);
  check_type_of<long double>(MPI_LONG_DOUBLE);
  check_type_of<wchar_t>(MPI_WCHAR);
  check_type_of<bool>(MPI_C_BOOL);
  check_type_of<std::complex<float>>(MPI_C_COMPLEX);
  check_type_of<std::complex<long double>>(MPI_CXX_LONG_DOUBLE_COMPLEX);
  check_type_of<MPI_Aint>(MPI_AINT);
  check_type_of<MPI_Count>(MPI_COUNT);
  check_type_of<MPI_Offset>(MPI_OFFSET);
}

TEST_CASE("the handle of a type of fixed size holds the size") {
  CHECK(ranks::encoded_size(reinterpret_cast<std::uintptr_t>(MPI_BYTE)) == 1);
  CHECK(ranks::encoded_size(reinterpret_cast<std::uintptr_t>(MPI_COMPLEX32)) == 32);
  CHECK(ranks::encoded_size(reinterpret_cast<std::uintptr_t>(MPI_INT)) == 0);
  CHECK(ranks::encoded_size(reinterpret_cast<std::uintptr_t>(MPI_SUM)) == 0);
  for (const ranks::basic_type& basic : ranks::basic_types()) {
    CAPTURE(basic.name);
    if (const int size = ranks::encoded_size(basic.number)) CHECK(size == basic.size);
  }
}

TEST_CASE("predefined types have distinct numbers and names, and are found by them") {
  std::set<std::uintptr_t> numbers;
  std::set<std::string_view> names;
  for (const ranks::basic_type& basic : ranks::basic_types()) {
    CHECK(numbers.insert(basic.number).second);
    CHECK(names.insert(basic.name).second);
    CHECK(ranks::find_basic_type(basic.number) == &basic);
    CHECK(ranks::predefined_type(basic.number)->basic() == &basic);
    CHECK(ranks::predefined_name(*ranks::predefined_type(basic.number)) == basic.name);
  }
  CHECK(numbers.size() == 61);
  CHECK(ranks::find_basic_type(0x200) == nullptr);
  CHECK(ranks::predefined_type(0x200) == nullptr);
  CHECK(ranks::predefined_type(0x400) == nullptr);
}

TEST_CASE("pairs are laid out as structures of C") {
  struct pair {
    MPI_Datatype handle;
    std::int64_t size, extent, true_extent;
  };
  const pair pairs[] = {
      {MPI_FLOAT_INT, 8, 8, 8},           {MPI_DOUBLE_INT, 12, 16, 12}, {MPI_LONG_INT, 12, 16, 12},
      {MPI_SHORT_INT, 6, 8, 8},           {MPI_2INT, 8, 8, 8},          {MPI_LONG_DOUBLE_INT, 20, 32, 20},
      {MPI_2DOUBLE_PRECISION, 16, 16, 16}};
  for (const pair& expected : pairs) {
    const ranks::datatype* type = type_with(expected.handle);
    REQUIRE(type);
    CHECK(type->size() == expected.size);
    CHECK(type->extent() == expected.extent);
    CHECK(type->true_extent() == expected.true_extent);
    CHECK(type->is_predefined());
    CHECK(type->is_committed());
  }
  CHECK(ranks::find_pair_type(0x214, 0x209) == 0x229);
  CHECK(ranks::find_pair_type(0x214, 0x214) == 0);
}

TEST_CASE("a class and a size name a type of Fortran") {
  using enum ranks::type_class;
  CHECK(ranks::type_of_size(real, 8) == reinterpret_cast<std::uintptr_t>(MPI_REAL8));
  CHECK(ranks::type_of_size(integer, 1) == reinterpret_cast<std::uintptr_t>(MPI_INTEGER1));
  CHECK(ranks::type_of_size(complex, 32) == reinterpret_cast<std::uintptr_t>(MPI_COMPLEX32));
  CHECK(ranks::type_of_size(logical, 4) == reinterpret_cast<std::uintptr_t>(MPI_LOGICAL4));
  CHECK(ranks::type_of_size(real, 1) == 0);
  CHECK(ranks::type_of_size(complex, 2) == 0);
  CHECK(ranks::type_of_size(integer, 3) == 0);
  CHECK(ranks::type_of_size(static_cast<ranks::type_class>(1), 4) == 0);
}

TEST_CASE("each error class has its name and one sentence that fits") {
  std::set<std::string_view> texts;
  for (int number = 0; number <= MPI_ERR_LASTCODE; ++number) {
    const auto which = static_cast<ranks::error_class>(number);
    const std::string_view text = ranks::text_of(which);
    if (text.empty()) continue;
    CHECK(texts.insert(text).second);
    CHECK(text.size() < MPI_MAX_ERROR_STRING);
    CHECK(text.back() != '.');
    CHECK(text.starts_with("MPI_"));
  }
  CHECK(texts.size() == 63 + 18 + 1);
  CHECK(ranks::name_of(static_cast<ranks::error_class>(MPI_ERR_TRUNCATE)) == "MPI_ERR_TRUNCATE");
  CHECK(ranks::name_of(static_cast<ranks::error_class>(MPI_ERR_RMA_FLAVOR)) == "MPI_ERR_RMA_FLAVOR");
  CHECK(ranks::name_of(static_cast<ranks::error_class>(MPI_T_ERR_PVAR_NO_ATOMIC)) == "MPI_T_ERR_PVAR_NO_ATOMIC");
  CHECK(ranks::name_of(ranks::error_class::unsupported_operation) == "MPI_ERR_UNSUPPORTED_OPERATION");
  CHECK(ranks::name_of(static_cast<ranks::error_class>(-1)).empty());
}
