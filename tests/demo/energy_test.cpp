#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "demo/wave/energy.hpp"
#include "demo/wave/serial_reference.hpp"
#include "demo/wave/tiling.hpp"
#include "random_field.hpp"

using namespace stretto::wave;

TEST_CASE("once the source is silent, the energy in a closed and varied ground stays constant") {
  const extent size{90, 130};
  problem wave{{border(size, 0, 0.5), {{40, 60}}, wavelet(0.05, 1.0, 800)}, random_field(size, 11, 0.05f, 0.25f), {}};
  field before(size);
  double first = 0, least = 1e300, most = 0;
  run_serial(wave, [&](const field& u, int step) {
    const auto e = energy_between(u.view(), std::as_const(before).view(), wave.coefficient.view());
    if (step == 80) first = e.total();  // the wavelet of 60 steps is over
    if (step >= 80) {
      CHECK(e.kinetic > 0);
      least = std::min(least, e.total());
      most = std::max(most, e.total());
    }
    for (int r = 0; r < size.rows; ++r) std::copy_n(u.view().row(r), size.columns, before.view().row(r));
  });
  CHECK(first > 0);
  CHECK(most / least - 1 < 1e-5);  // rounding to float, 720 times
}

TEST_CASE("the energies of tiles add up to that of the field") {
  const extent size{50, 70};
  const auto next = random_field(size, 1, -1, 1), current = random_field(size, 2, -1, 1),
             coefficient = random_field(size, 3, 0.1f, 0.3f);
  const auto all = energy_between(next.view(), current.view(), coefficient.view());
  energy sum;
  for (const auto& tile : cut(size, 5, 3).tiles)
    sum += energy_between(next.view().part(tile), current.view().part(tile), coefficient.view().part(tile));
  CHECK(sum.kinetic == doctest::Approx(all.kinetic).epsilon(1e-12));
  CHECK(sum.potential == doctest::Approx(all.potential).epsilon(1e-12));
}

TEST_CASE("a field at rest has no energy, a uniform push only kinetic inside") {
  const extent size{6, 6};
  const field rest(size);
  field coefficient(size), pushed(size);
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) {
      coefficient(r, c) = 0.25f;
      pushed(r, c) = 0.5f;
    }
  CHECK(energy_between(rest.view(), rest.view(), coefficient.view()).total() == 0);
  const auto e = energy_between(pushed.view(), rest.view(), coefficient.view());
  CHECK(e.kinetic == doctest::Approx(0.5 * 36 * 0.25 / 0.25));
  CHECK(e.potential == 0);
}
