// matrix_product.hpp - products of matrices on buffers: what an example and `stretto demo matrix` share.
//
// Threads     called inside run() of every node.
#pragma once

#include <stretto/stretto.hpp>

namespace matrix_product {

using namespace stretto;

// clang-format off
STRETTO_KERNEL(multiply, (in<double, 2> a, in<double, 2> b, out<double, 2> c, int inner), {
  double sum = 0;
  for (int k = 0; k < inner; ++k) sum += a(global_id(0), k) * b(k, global_id(1));
  c(global_id(0), global_id(1)) = sum;
})
STRETTO_KERNEL(transpose, (in<double, 2> a, out<double, 2> b), { b(global_id(0), global_id(1)) = a(global_id(1), global_id(0)); })
// clang-format on

using matrix = buffer<double, 2>;
inline coordinate rows(const matrix& m) { return m.elements().max()[0]; }
inline coordinate columns(const matrix& m) { return m.elements().max()[1]; }
inline matrix make(coordinate rows, coordinate columns) { return matrix(box({0, 0}, {rows, columns})); }

/// Each element from a row of the one and a column of the other; nodes and devices compute tiles of it.
inline matrix times(const matrix& a, const matrix& b) {
  const matrix c = make(rows(a), columns(b));
  launch(in_tiles, multiply, c.elements(), a(slice(1)), b(slice(0)), c(one_to_one), columns(a));
  return c;
}
inline matrix transposed_of(const matrix& a) {
  const matrix b = make(columns(a), rows(a));
  launch(transpose, b.elements(), a(transposed), b(one_to_one));
  return b;
}

}  // namespace matrix_product
