#include "demo/wave/energy.hpp"

#include "demo/wave/stencil.hpp"

namespace stretto::wave {

energy energy_between(field_view<const float> next, field_view<const float> current,
                      field_view<const float> coefficient) {
  energy sum;
  for (int r = 0; r < next.size.rows; ++r) {
    energy row;
    for (int c = 0; c < next.size.columns; ++c) {
      const double change = double(next(r, c)) - current(r, c);
      row.kinetic += change * change / coefficient(r, c);
      row.potential -= next(r, c) * laplacian(&current(r, c), current.stride);
    }
    sum += row;
  }
  return {0.5 * sum.kinetic, 0.5 * sum.potential};
}

}  // namespace stretto::wave
