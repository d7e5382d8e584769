// grown_patterns.hpp - patterns that have grown on all nodes: what is known of them, and how they are drawn. The
// programs are an example's.
//
// Threads     pure.
#pragma once

#include "demo/wave/png_writer.hpp"
#include "patterns.hpp"

namespace on_buffers {

/// How many elements are not what closed forms say: the parity of ones; i within t, bit by bit (Lucas); and the same of
/// three numbers.
int wrong_parities(const patterns::numbers& all);
int wrong_binomials(const patterns::numbers& all, int rows);
int wrong_trinomials(const patterns::numbers& all, int layers);

/// Dark and bright, `wide` in a row, each `pixels` x `pixels`.
stretto::wave::rgb_image flat_picture(const patterns::numbers& all, int wide, int pixels);
/// Cubes seen from above one corner, the first layer below; nearer ones hide farther ones.
stretto::wave::rgb_image picture_of_layers(const patterns::numbers& all, int layers, int pixels);

}  // namespace on_buffers
