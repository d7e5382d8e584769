// field.hpp - rectangles of cells, and two-dimensional float fields seen through strided views.
//
// Threads     a view is a value and owns nothing; a field is its owner's.
// Invariants  row-major; element (0, 0) of a view may have readable neighbours at negative indices: a field
//             keeps `halo` cells of them on every side, zero unless somebody writes them.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace stretto::wave {

/// Cells that the stencil reads beyond the cell it computes, on each side of a row and of a column.
inline constexpr int halo = 2;

/// How many cells: rows run downwards (depth), columns to the right.
struct extent {
  int rows = 0, columns = 0;
  std::ptrdiff_t cells() const { return std::ptrdiff_t(rows) * columns; }
  bool operator==(const extent&) const = default;
};

/// Half-open: rows [row, row_end), columns [column, column_end).
struct rectangle {
  int row = 0, row_end = 0, column = 0, column_end = 0;
  int rows() const { return row_end - row; }
  int columns() const { return column_end - column; }
  extent size() const { return {rows(), columns()}; }
  bool empty() const { return rows() <= 0 || columns() <= 0; }
  bool contains(int r, int c) const { return r >= row && r < row_end && c >= column && c < column_end; }
  bool operator==(const rectangle&) const = default;
};

rectangle intersection(const rectangle& a, const rectangle& b);
inline rectangle whole(extent size) { return {0, size.rows, 0, size.columns}; }

template <class T>
struct field_view {
  T* origin = nullptr;        // element (0, 0)
  std::ptrdiff_t stride = 0;  // elements from one row to the next
  extent size;

  T* row(int r) const { return origin + r * stride; }
  T& operator()(int r, int c) const { return origin[r * stride + c]; }
  /// The same memory, with part's first cell as (0, 0).
  field_view part(const rectangle& part) const { return {&(*this)(part.row, part.column), stride, part.size()}; }
  operator field_view<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {origin, stride, size};
  }
};

/// Owns rows x columns floats and a halo around them, zero at first; every row starts on a cache line.
class field {
 public:
  field() = default;
  explicit field(extent size);

  extent size() const { return view_.size; }
  field_view<float> view() { return view_; }
  field_view<const float> view() const { return view_; }
  float& operator()(int r, int c) { return view_(r, c); }
  float operator()(int r, int c) const { return view_(r, c); }

 private:
  struct release {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float[], release> memory_;
  field_view<float> view_;
};

}  // namespace stretto::wave
