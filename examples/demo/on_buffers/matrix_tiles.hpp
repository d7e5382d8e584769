// matrix_tiles.hpp - a product of matrices on all nodes: its factors, a check that takes less than the product, and a
// picture of who has which part of it.
//
// Threads     product_on_nodes is called inside run() of every node; the rest is pure.
// Source      R. Freivalds, "Probabilistic machines can use less running time", IFIP Congress 1977.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/wave/png_writer.hpp"

namespace on_buffers {

/// By rows, of small whole numbers: sums of their products are exact in any order.
struct square {
  int side = 0;
  std::vector<double> elements;
};

/// Waves of one frequency for each row and column, which interfere in the product.
square left_factor(int side);
square right_factor(int side);

struct product {
  square result;
  std::vector<int> owner;  // for each element the node that has computed it
};
/// The same on every node.
product product_on_nodes(const square& a, const square& b);

/// Whether `c` times a vector of signs is `a` times `b` times it, for as many vectors as said: another product passes
/// each with 1 / 2 at most.
bool is_product(const square& a, const square& b, const square& c, int vectors);

/// Elements by their size, each node's part in a colour of its own; about `pixels` wide.
stretto::wave::rgb_image picture_of(const product& p, int pixels);

}  // namespace on_buffers
