#include "demo/wave/run_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <memory>
#include <stretto/copy.hpp>
#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include "demo/wave/first_failure.hpp"
#include "demo/wave/tile_fields.hpp"

namespace stretto::wave {
namespace {

using clock = std::chrono::steady_clock;

/// The program's memory of the whole grid, which tiles are copied into.
class whole_field {
 public:
  explicit whole_field(extent size) : cells_(size) {
    const auto view = cells_.view();
    const std::array<std::int64_t, 2> strides{view.stride, 1};
    instance_ = instance<float, 2>::external(view.origin, tile_fields::box_of(whole(size)),
                                             {.strides = strides, .name = "whole field"});
  }
  whole_field(const whole_field&) = delete;
  ~whole_field() { instance_.destroy(); }

  const instance<float, 2>& as_instance() const { return instance_; }
  field_view<const float> view() const { return std::as_const(cells_).view(); }
  field take() { return std::move(cells_); }

 private:
  field cells_;
  instance<float, 2> instance_;
};

/// One run: the events of what was submitted last, per tile.
class stepping {
 public:
  stepping(const problem& wave, const tiling& tiles, const platform& machine, const run_requests& requests)
      : wave_(wave),
        tiles_(tiles),
        requests_(requests),
        fields_(wave, tiles, machine),
        copies_(halo_copies(tiles)),
        ahead_(steps_ahead(fields_.count())),
        steps_(std::size_t(ahead_) * fields_.count()),
        arriving_(fields_.count()),
        looked_at_(fields_.count()) {}
  /// Tasks and copies use this object.
  ~stepping() { drain(); }

  tasks_result run() {
    tasks_result result;
    const auto started = clock::now();
    auto frame = requests_.frame_steps.begin();
    for (int n = 0; n < wave_.steps() && !(requests_.stop && requests_.stop->load(std::memory_order_relaxed)); ++n) {
      if (!submit_step(n)) break;
      result.steps = n + 1;
      if (frame != requests_.frame_steps.end() && *frame == n + 1) submit_frame(n + 1), ++frame;
      if (n + 1 < wave_.steps()) submit_copies(n + 1);
      if (requests_.on_progress) requests_.on_progress(std::max(0, n + 1 - ahead_));
    }
    if (const auto failed = drain()) std::rethrow_exception(failed);
    result.seconds = std::chrono::duration<double>(clock::now() - started).count();
    if (result.seconds > 0)
      result.cells_per_second = double(wave_.size().cells()) * result.steps / result.seconds;
    result.step_tasks = fields_.count() * std::size_t(result.steps);
    result.halo_copies = copied_;
    result.last = gather(result.steps);
    result.before_last = gather(result.steps + 1);
    return result;
  }

 private:
  /// The last step submitted of a tile but `ahead_` others.
  future<void>& step_of(std::size_t tile, int n) { return steps_[std::size_t(n % ahead_) * fields_.count() + tile]; }

  /// Returns false if a task has failed.
  bool submit_step(int n) {
    for (std::size_t i = 0; i < fields_.count(); ++i) {
      auto& place = step_of(i, n);
      if (n >= ahead_ && first_failure(place)) return false;  // the only wait: it bounds what is in flight
      const auto& in = arriving_[i].copies;
      const auto body = [this, i, n] { step_tile_or_name_it(i, n); };
      if (n == 0) place = async(name(fields_.name(i)), body);
      else
        place = async(after(step_of(i, n - 1), in[0], in[1], in[2], in[3], looked_at_[i]), name(fields_.name(i)), body);
    }
    return true;
  }

  /// The halos of the field after `steps` steps.
  void submit_copies(int steps) {
    for (auto& one : arriving_) one.count = 0;
    for (const halo_copy& c : copies_) {
      const auto from = std::size_t(c.from), to = std::size_t(c.to);
      auto& in = arriving_[to];
      in.copies[in.count++] = copy(fields_.at(from, steps), fields_.at(to, steps), tile_fields::box_of(c.cells),
                                   after(step_of(from, steps - 1)));
    }
    copied_ += copies_.size();
  }

  /// Copies the field after `steps` steps into one of two whole ones, while the steps go on, and paints that.
  void submit_frame(int steps) {
    frame& here = frames_[std::size_t(frames_submitted_++ % 2)];
    if (!here.cells) here.cells = std::make_unique<whole_field>(wave_.size());
    const event free = here.painted;
    for (std::size_t i = 0; i < fields_.count(); ++i)
      looked_at_[i] = copy(fields_.at(i, steps), here.cells->as_instance(), tile_fields::box_of(tiles_.tiles[i]),
                           after(step_of(i, steps - 1), free));
    const frame& previous = frames_[std::size_t(frames_submitted_ % 2)];
    here.painted = async(after(merge(looked_at_), previous.painted), name("paint a frame"),
                         [this, cells = here.cells.get()] { requests_.paint(cells->view()); });
  }

  /// Whatever a step throws is told with the name of its tile.
  void step_tile_or_name_it(std::size_t i, int n) const {
    try {
      if (requests_.failure && requests_.failure->tile == i && requests_.failure->step == n)
        throw std::runtime_error("STRETTO_TEST_FAIL_TILE asked for it");
      fields_.step(i, n);
    } catch (const std::exception& e) {
      throw error("W19", fmt::format("task \"{}\" failed", fields_.name(i)))
          .fact("step", fmt::format("{} of {}", n, wave_.steps()))
          .because(e.what());
    }
  }

  /// Waits for everything submitted, failed or not. Returns the failure that the others follow from.
  std::exception_ptr drain() noexcept {
    std::exception_ptr first;
    const auto settle = [&](const dependency& d) {
      if (auto failed = first_failure(d); failed && !first) first = std::move(failed);
    };
    for (const auto& one : steps_)
      if (one.valid()) settle(one);
    for (const auto& one : arriving_)
      for (const event e : one.copies) settle(e);
    for (const event e : looked_at_) settle(e);
    for (const auto& one : frames_) settle(one.painted);
    return first;
  }

  field gather(int parity) const {
    whole_field all(wave_.size());
    std::vector<event> copied;
    for (std::size_t i = 0; i < fields_.count(); ++i)
      copied.push_back(copy(fields_.at(i, parity), all.as_instance(), tile_fields::box_of(tiles_.tiles[i])));
    wait(merge(copied));
    return all.take();
  }

  struct arrivals {
    std::array<event, 4> copies;
    std::size_t count = 0;
  };
  struct frame {
    std::unique_ptr<whole_field> cells;
    event painted;
  };
  const problem& wave_;
  const tiling& tiles_;
  const run_requests& requests_;
  const tile_fields fields_;
  const std::vector<halo_copy> copies_;
  const int ahead_;
  std::vector<future<void>> steps_;  // of the last `ahead_` steps, each of every tile
  std::vector<arrivals> arriving_;   // per tile
  std::vector<event> looked_at_;     // per tile: the copy of the last frame from it
  std::array<frame, 2> frames_;
  int frames_submitted_ = 0;
  std::size_t copied_ = 0;
};

}  // namespace

int steps_ahead(std::size_t tiles) {
  constexpr std::size_t tasks_in_flight = 4096;
  return int(std::clamp<std::size_t>(tasks_in_flight / std::max<std::size_t>(tiles, 1), 2, 32));
}

tasks_result run_tasks(const problem& wave, const tiling& tiles, const platform& machine,
                       const run_requests& requests) {
  stepping all(wave, tiles, machine, requests);
  return all.run();
}

}  // namespace stretto::wave
