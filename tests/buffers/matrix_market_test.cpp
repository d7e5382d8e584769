// Parsing of Matrix Market files in example 38, and its errors for other files.
#include "../../examples/matrix_market.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace stretto {
namespace {

matrix_market::matrix matrix_of(const std::string& text) {
  std::istringstream in(text);
  return matrix_market::read(in, "m.mtx");
}

std::string fault_of_matrix(const std::string& text) {
  try {
    matrix_of(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "none";
}

TEST_CASE(
    "a general matrix is read by rows, whatever the order of its entries, and entries of one place are added up") {
  const auto m = matrix_of(
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 4\n2 3 1.5\n1 1 -2\n2 1 4e2\n2 3 0.5\n");
  CHECK(m.rows == 2);
  CHECK(m.columns == 3);
  CHECK(m.first == std::vector<int>{0, 1, 3});
  CHECK(m.column == std::vector<int>{0, 0, 2});
  CHECK(m.value == std::vector<double>{-2, 400, 2});
}

TEST_CASE("both halves of a symmetric matrix are loaded") {
  const auto m =
      matrix_of("%%matrixmarket MATRIX Coordinate Integer Symmetric\r\n3 3 3\r\n1 1 5\r\n3 1 7\r\n3 3 9\r\n");
  CHECK(m.first == std::vector<int>{0, 2, 2, 4});
  CHECK(m.column == std::vector<int>{0, 2, 0, 2});
  CHECK(m.value == std::vector<double>{5, 7, 7, 9});
}

TEST_CASE("a file without a matrix is refused with file, line and cause") {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n",
                    half = "%%MatrixMarket matrix coordinate real symmetric\n";
  CHECK(fault_of_matrix("") == "m.mtx:0: the file is empty");
  CHECK(fault_of_matrix("1 1 1\n") == "m.mtx:1: a file begins with %%MatrixMarket matrix");
  CHECK(fault_of_matrix("%%MatrixMarket matrix array real general\n") ==
        "m.mtx:1: the format is \"array\", and coordinate is read");
  CHECK(fault_of_matrix("%%MatrixMarket matrix coordinate complex general\n").find("1: the field is \"complex\"") !=
        std::string::npos);
  CHECK(fault_of_matrix("%%MatrixMarket matrix coordinate real hermitian\n").find("1: the symmetry is \"hermitian\"") !=
        std::string::npos);
  CHECK(fault_of_matrix(head + "%\n") == "m.mtx:2: the file ends before its size");
  CHECK(fault_of_matrix(head + "2 x 1\n") == "m.mtx:2: the size is rows, columns and entries: \"2 x 1\"");
  CHECK(fault_of_matrix(head + "2 2 3000000000\n").find("m.mtx:2: the size") == 0);
  CHECK(fault_of_matrix(half + "2 3 1\n") == "m.mtx:2: a symmetric matrix has as many rows as columns");
  CHECK(fault_of_matrix(head + "2 2 2\n1 1 1\n") == "m.mtx:3: the file ends after 1 of 2 entries");
  CHECK(fault_of_matrix(head + "2 2 1\n%\n1 3 1\n") == "m.mtx:4: the entry lies outside of 2 x 2");
  CHECK(fault_of_matrix(head + "2 2 1\n0 1 1\n") == "m.mtx:3: the entry lies outside of 2 x 2");
  CHECK(fault_of_matrix(head + "2 2 1\n1 1\n") == "m.mtx:3: an entry is row, column and value: \"1 1\"");
  CHECK(fault_of_matrix(head + "2 2 1\n1 1 1 i\n") == "m.mtx:3: there is more than it should hold: \"i\"");
  CHECK(fault_of_matrix(half + "2 2 1\n1 2 1\n").find("m.mtx:3: a symmetric matrix is given by its lower half") == 0);
  CHECK(fault_of_matrix(head + "2 2 1\n1 1 1\n2 2 1\n") ==
        "m.mtx:4: there are more entries than the 1 that the size says");
}

TEST_CASE("the Laplacian of a grid that is made up is the one of the file that is shipped") {
  const auto folder = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "examples/media";
  const auto read = matrix_market::read(folder / "poisson_10x10.mtx"), made = matrix_market::poisson(10);
  CHECK(read.first == made.first);
  CHECK(read.column == made.column);
  CHECK(read.value == made.value);
}

}  // namespace
}  // namespace stretto
