// patch.hpp - a part of the box as a mobile object. It moves its particles, and receives from its neighbours the
// particles that enter it and the positions of those near it.
//
// Every step it sends one message to each of eight neighbours, with the particles that go there and the places of those
// that act there. The patch that moves a particle sends it to all patches that need it, also if it changes between
// neighbours: no particle is sent twice. A neighbour is at most one step ahead, so that messages of two steps are kept;
// there is no barrier between steps. Patches whose neighbours are on other nodes come first: those wait for them.
//
// Threads     handlers of one object; one at a time.
#pragma once

#include <stretto/barrier.hpp>
#include <stretto/collection.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "demo/particles/cell_list.hpp"

namespace particles {

/// What a step cost, and where.
struct cost {
  float seconds = 0;  // of a processor
  float pairs = 0;    // that were looked at
  std::uint32_t node = 0;
};

class patch {
 public:
  patch() = default;
  patch(std::size_t index, const problem& p, const cut& c);

  void put(std::vector<particle> all) { mine_ = std::move(all); }
  /// `reached` gets an arrival before the first step, after every `each` of them, and after the last. Steps before are
  /// forgotten.
  void begin(stretto::collection<patch> all, stretto::barrier reached, std::uint32_t each);
  /// It may go on to the end of that step.
  void go_on_to(std::uint32_t step);
  /// What a neighbour has moved in that step.
  void take(std::uint32_t step, std::vector<particle> come, std::vector<ghost> near);

  /// From itself: as far as what has come allows.
  void step();

  std::vector<particle> content() const { return mine_; }
  /// Of each step, the first being that without a move.
  std::vector<cost> costs() const { return costs_; }
  double load_hint() const { return costs_.empty() ? 1.0 : 1.0 + costs_.back().pairs; }

  template <class Archive>
  friend void fields(Archive& a, stretto::archived<patch, Archive>& p) {
    a(p.problem_, p.box_, p.cut_, p.x_, p.y_, p.cells_, p.all_, p.reached_, p.each_, p.may_reach_, p.step_, p.has_left_,
      p.is_asked_, p.is_at_border_, p.mine_, p.near_, p.here_, p.costs_, p.seconds_);
  }

 private:
  static constexpr unsigned directions = 9, itself = 4;  // 3 * (y + 1) + x + 1
  struct incoming {
    std::uint32_t messages = 0;
    std::vector<particle> come;
    std::vector<ghost> near;
    template <class Archive>
    friend void fields(Archive& a, stretto::archived<incoming, Archive>& i) {
      a(i.messages, i.come, i.near);
    }
  };
  bool can_leave() const { return !has_left_ && step_ <= may_reach_; }
  bool can_arrive() const { return has_left_ && here_[step_ % 2].messages == directions - 1; }
  /// Asks for step(), if it can do something.
  void go_on();
  std::size_t neighbour(unsigned direction) const;
  /// Particles move; those who need them are told.
  void leave();
  void tell(std::array<incoming, directions>& those);
  /// And all who have come are felt.
  void arrive();

  problem problem_;
  box box_;
  cut cut_;
  std::uint32_t x_ = 0, y_ = 0;
  block cells_;
  stretto::collection<patch> all_;
  stretto::barrier reached_;
  std::uint32_t each_ = 1, may_reach_ = 0, step_ = 0;
  bool has_left_ = false, is_asked_ = false, is_at_border_ = false;  // it will step; a neighbour is on another node
  std::vector<particle> mine_;
  std::vector<ghost> near_;            // that it has moved out itself
  std::array<incoming, 2> here_ = {};  // of even and of odd steps
  std::vector<cost> costs_;
  double seconds_ = 0;  // of the step that it is in
  cell_list list_;      // does not travel
};

}  // namespace particles
