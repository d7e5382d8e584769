#include "demo/particles/patch.hpp"

#include <stretto/finish.hpp>
#include <stretto/job.hpp>

#include <time.h>

#include <utility>

namespace particles {

using stretto::call;
using stretto::send;

namespace {

/// Of this thread: where others use the machine, too, they are not counted.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

patch::patch(std::size_t index, const problem& p, const cut& c)
    : problem_(p),
      box_(p.in()),
      cut_(c),
      x_(static_cast<std::uint32_t>(index % c.x)),
      y_(static_cast<std::uint32_t>(index / c.x)),
      cells_(block_of(box_, c, x_, y_)) {}

void patch::begin(stretto::collection<patch> all, stretto::barrier reached, std::uint32_t each) {
  all_ = all;
  reached_ = reached;
  each_ = each;
  if (costs_.size() > 1) costs_.erase(costs_.begin(), costs_.end() - 1);
}

void patch::go_on_to(std::uint32_t step) {
  may_reach_ = step;
  is_at_border_ = false;
  for (unsigned direction = 0; direction < directions; ++direction)
    is_at_border_ |= !stretto::is_here(all_[neighbour(direction)]);
  go_on();
}

void patch::receive(std::uint32_t step, std::vector<particle> come, std::vector<ghost> near) {
  incoming& here = here_[step % 2];
  ++here.messages;
  here.come.insert(here.come.end(), come.begin(), come.end());
  here.near.insert(here.near.end(), near.begin(), near.end());
  go_on();
}

std::size_t patch::neighbour(unsigned direction) const {
  const std::uint32_t x = (x_ + cut_.x + direction % 3 - 1) % cut_.x, y = (y_ + cut_.y + direction / 3 - 1) % cut_.y;
  return x + std::size_t{cut_.x} * y;
}

void patch::go_on() {
  if (is_asked_ || (!can_leave() && !can_arrive())) return;
  is_asked_ = true;
  stretto::detached(
      [&] { send(stretto::priority(is_at_border_ ? 1 : 0), all_[neighbour(itself)], call<&patch::step>()); });
}

void patch::step() {
  is_asked_ = false;
  double since = processor_seconds();
  const auto lap = [&] {
    const double now = processor_seconds();
    return now - std::exchange(since, now);
  };
  for (;;) {
    if (can_leave()) {
      leave();
      has_left_ = true;
    }
    if (!can_arrive()) break;
    arrive();
    costs_.back().seconds = static_cast<float>(seconds_ + lap());
    seconds_ = 0;
    has_left_ = false;
    if (step_ % each_ == 0 || step_ == problem_.steps) {
      reached_.arrive();
      reached_ = reached_.advance();
    }
    ++step_;
  }
  seconds_ += lap();
}

void patch::leave() {
  std::array<incoming, directions> to;
  constexpr std::array<std::array<bool, 3>, 2> nobody_else{{{false, true, false}, {false, true, false}}};
  std::vector<particle> stay;
  stay.reserve(mine_.size());
  near_.clear();
  for (particle& p : mine_) {
    if (step_ > 0) {
      kick(p);
      drift(p, box_.unit, box_.wind);
    }
    // Along each axis: in which patch it is, -1 to 1 from here, and on whose particles it acts.
    std::array<std::int32_t, 2> in;
    std::array<std::array<bool, 3>, 2> acts;
    bool is_known = true;
    for (unsigned axis = 0; axis < 2; ++axis) {
      const std::int32_t at = cells_.from_first(axis, box_.cell_of(p.at[axis]), box_.cells);
      const auto size = static_cast<std::int32_t>(cells_.size[axis]), most = static_cast<std::int32_t>(least_cells) - 1;
      in[axis] = at < 0 ? -1 : at >= size ? 1 : 0;
      acts[axis] = {at <= 0, at >= -1 && at <= size, at >= size - 1};
      is_known &= at >= -most && at < size + most;
    }
    if (acts == nobody_else) {
      stay.push_back(p);
      continue;
    }
    if (!is_known) [[unlikely]]
      continue;  // forces are wrong: it is lost, and missed in the end (W37)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        if (!acts[0][static_cast<unsigned>(x + 1)] || !acts[1][static_cast<unsigned>(y + 1)]) continue;
        const auto direction = static_cast<unsigned>(3 * (y + 1) + x + 1);
        const bool is_there = in[0] == x && in[1] == y;
        if (direction == itself) is_there ? stay.push_back(p) : near_.push_back({p.id, p.at});
        else if (is_there) to[direction].come.push_back(p);
        else to[direction].near.push_back({p.id, p.at});
      }
  }
  mine_ = std::move(stay);
  send_to_neighbours(to);
}

void patch::send_to_neighbours(std::array<incoming, directions>& those) {
  stretto::detached([&] {
    for (unsigned direction = 0; direction < directions; ++direction)
      if (direction != itself)
        send(all_[neighbour(direction)],
             call<&patch::receive>(step_, std::move(those[direction].come), std::move(those[direction].near)));
  });
}

void patch::arrive() {
  incoming& here = here_[step_ % 2];
  mine_.insert(mine_.end(), here.come.begin(), here.come.end());
  near_.insert(near_.end(), here.near.begin(), here.near.end());
  here.messages = 0;
  here.come.clear();
  here.near.clear();
  const double pairs = list_.feel(box_, cells_, mine_, near_);
  if (step_ > 0)
    for (particle& p : mine_) kick(p);
  costs_.push_back({0, static_cast<float>(pairs), stretto::this_node()});
}

}  // namespace particles
