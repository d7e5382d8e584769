#include "demo/jacobi3d/device_cuboid.hpp"

#include <stretto/finish.hpp>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <utility>

namespace jacobi3d {

using namespace stretto;

STRETTO_KERNEL(copy_cells, (in<double, 3> from, out<double, 3> to), {
  int z = global_id(0), y = global_id(1), x = global_id(2);
  to(z, y, x) = from(z, y, x);
})
// The sum of `relax`, in the same order.
STRETTO_KERNEL(relax_cells, (in<double, 3> u, out<double, 3> v, double sixth), {
  int z = global_id(0), y = global_id(1), x = global_id(2);
  v(z, y, x) = ((u(z, y, x - 1) + u(z, y, x + 1)) + (u(z, y - 1, x) + u(z, y + 1, x)) + (u(z - 1, y, x) + u(z + 1, y, x))) * sixth;
})

box device_cuboid::inside() const {
  const auto first = [&](unsigned axis) { return coordinate{where_.first[axis]} + 1; };
  return {{first(2), first(1), first(0)},
          {first(2) + where_.size[2], first(1) + where_.size[1], first(0) + where_.size[0]}};
}

box device_cuboid::layer(unsigned side) const {
  const int axis = 2 - static_cast<int>(side / 2);  // x lies closest together
  point min = inside().min(), max = inside().max();
  if (side % 2) min[axis] = max[axis] - 1;
  else max[axis] = min[axis] + 1;
  return box::between(min, max);
}

device_cuboid::device_cuboid(problem p, block b) : problem_(p), where_(b) {
  const field begins(p, b);
  const box all = box::between(inside().min() - point(1, 1, 1), inside().max() + point(1, 1, 1));
  now_ = array(all, begins.values.data());
  next_ = array(all, begins.values.data());
}

void device_cuboid::begin(std::array<mobile<device_cuboid>, sides> neighbours) {
  neighbours_ = neighbours;
  expected_ = static_cast<std::uint32_t>(std::ranges::count_if(neighbours_, [](const auto& n) { return n.is_valid(); }));
}

void device_cuboid::go_on_to(std::uint32_t step, user_event done) {
  may_reach_ = step;
  done_ = done;
  if (step_ == 0) send_faces();
  go_on();
}

void device_cuboid::take(std::uint8_t side, std::uint32_t step, array values) {
  faces_[step % 2].at(side) = std::move(values);
  ++come_[step % 2];
  go_on();
}

void device_cuboid::go_on() {
  while (step_ < may_reach_ && come_[step_ % 2] == expected_) {
    for (unsigned side = 0; side < sides; ++side) {
      if (!neighbours_[side].is_valid()) continue;
      const array face = std::exchange(faces_[step_ % 2][side], {});
      launch(copy_cells, face.elements(), face, now_(face.elements()));
    }
    come_[step_ % 2] = 0;
    const event computed = launch(relax_cells, inside(), now_, next_(inside()), 1.0 / 6);
    std::swap(now_, next_);
    ++step_;
    if (step_ < problem_.iterations) send_faces();
    if (step_ == may_reach_) done_.trigger(computed);
  }
}

void device_cuboid::send_faces() const {
  for (unsigned side = 0; side < sides; ++side) {
    if (!neighbours_[side].is_valid()) continue;
    array face(layer(side));
    launch(copy_cells, face.elements(), now_, face);
    detached([&] { send(neighbours_[side], call<&device_cuboid::take>(static_cast<std::uint8_t>(side ^ 1), step_, std::move(face))); });
  }
}

field device_cuboid::content(const array& of) const {
  field f;
  f.size = where_.size;
  f.values.resize(of.elements().volume());
  wait(of.copy_to(f.values.data()));
  return f;
}

}  // namespace jacobi3d
