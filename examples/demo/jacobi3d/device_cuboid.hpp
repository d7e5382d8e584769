// device_cuboid.hpp - a cuboid whose cells are arrays: what it computes are kernels, and its faces travel as objects.
//
// Handlers launch and return: a face goes on its way before the step that computes it has ended, perhaps before it has
// begun.
//
// Threads     handlers of one object; one at a time.
#pragma once

#include <stretto/mobile.hpp>
#include <stretto/object.hpp>

#include <array>
#include <cstdint>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

class device_cuboid {
 public:
  using array = stretto::object<double, 3>;  // z, y, x, as positions in the whole problem and one cell around it

  device_cuboid() = default;
  device_cuboid(problem p, block b);

  /// As those of cuboid.
  void begin(std::array<stretto::mobile<device_cuboid>, sides> neighbours);
  void go_on_to(std::uint32_t step, stretto::user_event done);
  void receive_face(std::uint8_t side, std::uint32_t step, array values);
  field values() const { return content(now_); }
  double last_change() const { return largest_change(content(next_), content(now_)); }

  template <class Archive>
  friend void fields(Archive& a, stretto::archived<device_cuboid, Archive>& c) {
    a(c.problem_, c.where_, c.now_, c.next_, c.neighbours_, c.done_, c.faces_, c.come_, c.expected_, c.step_,
      c.may_reach_);
  }

 private:
  void go_on();
  void send_faces() const;
  field content(const array& of) const;

  problem problem_;
  block where_;
  array now_, next_;
  std::array<stretto::mobile<device_cuboid>, sides> neighbours_;
  stretto::user_event done_;
  std::array<std::array<array, sides>, 2> faces_;  // of even and of odd steps
  std::array<std::uint32_t, 2> come_ = {};
  std::uint32_t expected_ = 0, step_ = 0, may_reach_ = 0;
};

}  // namespace jacobi3d
