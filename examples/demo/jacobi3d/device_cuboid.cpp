#include "demo/jacobi3d/device_cuboid.hpp"

#include <stretto/finish.hpp>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <utility>

#include "demo/jacobi3d/device_kernels.hpp"

namespace jacobi3d {

using namespace stretto;

device_cuboid::device_cuboid(problem p, block b) : problem_(p), where_(b) {
  const field begins(p, b);
  now_ = array(around(b), begins.values.data());
  next_ = array(around(b), begins.values.data());
}

void device_cuboid::begin(std::array<mobile<device_cuboid>, sides> neighbours) {
  neighbours_ = neighbours;
  expected_ =
      static_cast<std::uint32_t>(std::ranges::count_if(neighbours_, [](const auto& n) { return n.is_valid(); }));
}

void device_cuboid::go_on_to(std::uint32_t step, user_event done) {
  may_reach_ = step;
  done_ = done;
  if (step_ == 0) send_faces();
  go_on();
}

void device_cuboid::receive_face(std::uint8_t side, std::uint32_t step, array values) {
  faces_[step % 2].at(side) = std::move(values);
  ++come_[step % 2];
  go_on();
}

void device_cuboid::go_on() {
  while (step_ < may_reach_ && come_[step_ % 2] == expected_) {
    for (unsigned side = 0; side < sides; ++side) {
      if (!neighbours_[side].is_valid()) continue;
      const array face = std::exchange(faces_[step_ % 2][side], {});
      launch(on(device_kind::device), copy_cells, face.elements(), face, now_(face.elements()));
    }
    come_[step_ % 2] = 0;
    const event computed =
        launch(on(device_kind::device), relax_cells, inside_of(where_), now_, next_(inside_of(where_)), 1.0 / 6);
    std::swap(now_, next_);
    ++step_;
    if (step_ < problem_.iterations) send_faces();
    if (step_ == may_reach_) done_.trigger(computed);
  }
}

void device_cuboid::send_faces() const {
  for (unsigned side = 0; side < sides; ++side) {
    if (!neighbours_[side].is_valid()) continue;
    array face(layer_of(where_, side));
    launch(on(device_kind::device), copy_cells, face.elements(), now_, face);
    detached([&] {
      send(neighbours_[side],
           call<&device_cuboid::receive_face>(static_cast<std::uint8_t>(side ^ 1), step_, std::move(face)));
    });
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
