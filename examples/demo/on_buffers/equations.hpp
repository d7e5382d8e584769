// equations.hpp - a system of linear equations for conjugate gradients: whether its matrix is symmetric, and a chart of
// what is left after each iteration. The solver is an example's.
//
// Threads     pure.
#pragma once

#include <string>

#include "conjugate_gradient.hpp"

namespace on_buffers {

/// Conjugate gradients need a symmetric matrix.
bool is_symmetric(const matrix_market::matrix& m);

/// Residual and error after each iteration as SVG, in powers of 10; also the bound on the error that follows from the
/// condition number, unless `condition` is 0.
std::string residuals_chart(const conjugate_gradient::solution& s, double condition);

}  // namespace on_buffers
