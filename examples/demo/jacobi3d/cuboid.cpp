#include "demo/jacobi3d/cuboid.hpp"

#include <stretto/finish.hpp>

#include <algorithm>
#include <utility>

namespace jacobi3d {

using stretto::call;
using stretto::send;

void cuboid::begin(std::array<stretto::mobile<cuboid>, sides> neighbours) {
  neighbours_ = neighbours;
  expected_ =
      static_cast<std::uint32_t>(std::ranges::count_if(neighbours_, [](const auto& n) { return n.is_valid(); }));
}

void cuboid::go_on_to(std::uint32_t step, stretto::user_event done) {
  may_reach_ = step;
  done_ = done;
  if (step_ == 0) send_faces();
  go_on();
}

void cuboid::receive_face(std::uint8_t side, std::uint32_t step, std::vector<double> values) {
  faces_[step % 2].at(side) = std::move(values);
  ++come_[step % 2];
  go_on();
}

void cuboid::go_on() {
  while (step_ < may_reach_ && come_[step_ % 2] == expected_) {
    auto& faces = faces_[step_ % 2];
    for (unsigned side = 0; side < sides; ++side)
      if (neighbours_[side].is_valid()) put_face(now_, side, faces[side]);
    come_[step_ % 2] = 0;
    relax(now_, next_);
    if (step_ + 1 == problem_.iterations) last_change_ = largest_change(now_, next_);
    std::swap(now_, next_);
    ++step_;
    if (step_ < problem_.iterations) send_faces();
    if (step_ == may_reach_) done_.trigger();
  }
}

void cuboid::send_faces() const {
  stretto::detached([&] {
    for (unsigned side = 0; side < sides; ++side)
      if (neighbours_[side].is_valid())
        send(neighbours_[side],
             call<&cuboid::receive_face>(static_cast<std::uint8_t>(side ^ 1), step_, face(now_, side)));
  });
}

}  // namespace jacobi3d
