// cuboid.hpp - a part of the problem as a mobile object: it steps when the faces of its neighbours have come, and sends
// its own.
//
// A neighbour is at most one step ahead, so that faces of two steps have to be kept. Nobody waits for anybody else: no
// barrier.
//
// Threads     handlers of one object; one at a time.
#pragma once

#include <stretto/mobile.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

template <class Archive>
void fields(Archive& a, stretto::archived<field, Archive>& f) {
  a(f.size, f.values);
}

class cuboid {
 public:
  cuboid() = default;
  cuboid(problem p, block b) : problem_(p), now_(p, b), next_(now_) {}

  /// `neighbours` by side; invalid at the border.
  void begin(std::array<stretto::mobile<cuboid>, sides> neighbours);
  /// Until so many steps are done; then triggers `done`, and rests.
  void go_on_to(std::uint32_t step, stretto::user_event done);
  /// A neighbour's cells after so many steps.
  void receive_face(std::uint8_t side, std::uint32_t step, std::vector<double> values);

  field values() const { return now_; }
  double last_change() const { return last_change_; }

  template <class Archive>
  friend void fields(Archive& a, stretto::archived<cuboid, Archive>& c) {
    a(c.problem_, c.now_, c.next_, c.neighbours_, c.done_, c.faces_, c.come_, c.expected_, c.step_, c.may_reach_,
      c.last_change_);
  }

 private:
  void go_on();
  void send_faces() const;

  problem problem_;
  field now_, next_;
  std::array<stretto::mobile<cuboid>, sides> neighbours_;
  stretto::user_event done_;
  std::array<std::array<std::vector<double>, sides>, 2> faces_;  // of even and of odd steps
  std::array<std::uint32_t, 2> come_ = {};
  std::uint32_t expected_ = 0, step_ = 0, may_reach_ = 0;
  double last_change_ = 0;
};

}  // namespace jacobi3d
