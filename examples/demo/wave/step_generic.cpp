// step_generic.cpp - the stencil for the architecture's baseline instructions.
#include "demo/wave/step_rows.hpp"

namespace stretto::wave {

std::vector<step_variant> runnable_steps() { return {{"baseline", step_tile}}; }

void step_tile(field_view<float> older, field_view<const float> current, field_view<const float> coefficient,
               const damping& border) {
  step_rows(older, current, coefficient, border);
}

}  // namespace stretto::wave
