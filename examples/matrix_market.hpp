// matrix_market.hpp - sparse matrices by rows: read from files of the Matrix Market, or made up.
//
// Source      the exchange format of Boisvert, Pozo and Remington (NISTIR 5935): coordinate, real or integer, general
//             or symmetric.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace matrix_market {

/// Row i has the entries first[i] up to first[i + 1], by column.
struct matrix {
  int rows = 0, columns = 0;
  std::vector<int> first, column;
  std::vector<double> value;
};

struct entry {
  int row, column;
  double value;
};

/// Entries of the same place are added up.
inline matrix from_entries(int rows, int columns, std::vector<entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  matrix m{rows, columns, std::vector<int>(static_cast<std::size_t>(rows) + 1), {}, {}};
  const entry* last = nullptr;
  for (const entry& e : entries) {
    if (last && last->row == e.row && last->column == e.column) m.value.back() += e.value;
    else m.column.push_back(e.column), m.value.push_back(e.value), ++m.first[static_cast<std::size_t>(e.row) + 1];
    last = &e;
  }
  for (std::size_t i = 1; i < m.first.size(); ++i) m.first[i] += m.first[i - 1];
  return m;
}

/// Of a symmetric one, the half that is left out is put back. Throws std::runtime_error, with the line, for what is no
/// such file.
inline matrix read(std::istream& in, const std::string& name) {
  int line_number = 0;
  std::string line;
  const auto fail = [&](const std::string& what) {
    throw std::runtime_error(name + ":" + std::to_string(line_number) + ": " + what);
  };
  const auto next = [&](bool skips_comments) {
    while (std::getline(in, line)) {
      ++line_number;
      if (!skips_comments || (line.find_first_not_of(" \t\r") != line.npos && line[0] != '%')) return true;
    }
    return false;
  };
  const auto rest_of = [&](std::istringstream& words) {
    std::string more;
    if (words >> more) fail("there is more than it should hold: \"" + more + "\"");
  };
  if (!next(false)) fail("the file is empty");
  std::ranges::transform(line, line.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream head(line);
  std::string banner, object, format, field, symmetry;
  head >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%matrixmarket" || object != "matrix") fail("a file begins with %%MatrixMarket matrix");
  if (format != "coordinate") fail("the format is \"" + format + "\", and coordinate is read");
  if (field != "real" && field != "integer") fail("the field is \"" + field + "\", and real and integer are read");
  if (symmetry != "general" && symmetry != "symmetric")
    fail("the symmetry is \"" + symmetry + "\", and general and symmetric are read");

  if (!next(true)) fail("the file ends before its size");
  std::istringstream size(line);
  long long rows = 0, columns = 0, count = 0;
  constexpr long long most = 2'000'000'000;  // indices are ints
  if (!(size >> rows >> columns >> count) || rows < 1 || columns < 1 || count < 0 || rows > most || columns > most ||
      count > most / 2)
    fail("the size is rows, columns and entries: \"" + line + "\"");
  rest_of(size);
  if (symmetry == "symmetric" && rows != columns) fail("a symmetric matrix has as many rows as columns");

  std::vector<entry> entries;
  for (long long n = 0; n < count; ++n) {
    if (!next(true)) fail("the file ends after " + std::to_string(n) + " of " + std::to_string(count) + " entries");
    std::istringstream words(line);
    long long row = 0, column = 0;
    double value = 0;
    if (!(words >> row >> column >> value)) fail("an entry is row, column and value: \"" + line + "\"");
    rest_of(words);
    if (row < 1 || row > rows || column < 1 || column > columns)
      fail("the entry lies outside of " + std::to_string(rows) + " x " + std::to_string(columns));
    if (symmetry == "symmetric" && column > row)
      fail("a symmetric matrix is given by its lower half, and this entry lies above");
    const entry e{static_cast<int>(row - 1), static_cast<int>(column - 1), value};
    entries.push_back(e);
    if (symmetry == "symmetric" && e.row != e.column) entries.push_back({e.column, e.row, value});
  }
  if (next(true)) fail("there are more entries than the " + std::to_string(count) + " that the size says");
  return from_entries(static_cast<int>(rows), static_cast<int>(columns), std::move(entries));
}

inline matrix read(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file.string() + " cannot be opened");
  return read(in, file.filename().string());
}

/// The Laplacian of a square grid of `side` points each way, with what lies beyond held at 0.
inline matrix poisson(int side) {
  std::vector<entry> entries;
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const int row = i * side + j;
      entries.push_back({row, row, 4});
      if (i > 0) entries.push_back({row, row - side, -1});
      if (j > 0) entries.push_back({row, row - 1, -1});
      if (i + 1 < side) entries.push_back({row, row + side, -1});
      if (j + 1 < side) entries.push_back({row, row + 1, -1});
    }
  return from_entries(side * side, side * side, std::move(entries));
}

}  // namespace matrix_market
