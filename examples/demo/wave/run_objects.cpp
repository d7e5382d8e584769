#include "demo/wave/run_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <stretto/error.hpp>
#include <stretto/object.hpp>
#include <stretto/task.hpp>

#include "demo/wave/first_failure.hpp"
#include "demo/wave/wave_kernels.hpp"

namespace stretto::wave {
namespace {

using clock = std::chrono::steady_clock;

constexpr int steps_in_front = 8;

box box_of(const rectangle& r, int around = 0) {
  return box({r.row - around, r.column - around}, {r.row_end + around, r.column_end + around});
}

/// Contents of an object over the grid and so much around it.
std::vector<float> dense(field_view<const float> of, int around) {
  const std::size_t columns = std::size_t(of.size.columns + 2 * around);
  std::vector<float> all(columns * std::size_t(of.size.rows + 2 * around));
  for (int r = 0; r < of.size.rows; ++r)
    std::copy_n(of.row(r), of.size.columns, &all[std::size_t(r + around) * columns + std::size_t(around)]);
  return all;
}

std::vector<float> copied(const float* first, int count) { return {first, first + count}; }

class object_steps {
 public:
  object_steps(const problem& wave, const tiling& tiles, const run_requests& requests)
      : wave_(wave),
        tiles_(tiles),
        requests_(requests),
        whole_(whole(wave.size())),
        factors_(wave.edge.part(whole_)),
        ground_(box_of(whole_), dense(wave.coefficient.view(), 0).data(), {.name = "ground"}),
        row_(box(0, whole_.rows()), copied(factors_.row, whole_.rows()).data(), {.name = "damping of rows"}),
        column_(box(0, whole_.columns()), copied(factors_.column, whole_.columns()).data(),
                {.name = "damping of columns"}),
        fields_{at_rest("pressure 0"), at_rest("pressure 1")} {}

  tasks_result run() {
    tasks_result result;
    const auto started = clock::now();
    auto frame = requests_.frame_steps.begin();
    for (int n = 0; n < wave_.steps() && !(requests_.stop && requests_.stop->load(std::memory_order_relaxed)); ++n) {
      if (in_flight_.size() == steps_in_front) settle_oldest();
      submit_step(n);
      result.steps = n + 1;
      if (frame != requests_.frame_steps.end() && *frame == n + 1) submit_frame(n + 1), ++frame;
      if (requests_.on_progress) requests_.on_progress(std::max(0, n + 1 - steps_in_front));
    }
    while (!in_flight_.empty()) settle_oldest();
    for (const future<void>& f : frames_) f.get();
    result.seconds = std::chrono::duration<double>(clock::now() - started).count();
    if (result.seconds > 0) result.cells_per_second = double(wave_.size().cells()) * result.steps / result.seconds;
    result.step_tasks = tiles_.tiles.size() * std::size_t(result.steps);
    result.last = gather(result.steps);
    result.before_last = gather(result.steps + 1);
    return result;
  }

 private:
  object<float, 2> at_rest(const char* name) const {
    const std::vector<float> zeros(std::size_t(whole_.rows() + 2 * halo) * std::size_t(whole_.columns() + 2 * halo));
    return {box_of(whole_, halo), zeros.data(), {.name = name}};
  }
  const object<float, 2>& after_steps(int n) const { return fields_[std::size_t(n & 1)]; }

  void submit_step(int n) {
    const object<float, 2>&current = after_steps(n), &next = after_steps(n + 1);
    std::vector<event>& ends = in_flight_.emplace_back();
    for (const rectangle& t : tiles_.tiles) {
      const auto step = [&](const auto&... tags) {
        return launch(tags..., name("step of a tile"), wave_step, box_of(t), next(box_of(t)), current(box_of(t, halo)),
                      ground_(box_of(t)), row_(box(t.row, t.row_end)), column_(box(t.column, t.column_end)));
      };
      ends.push_back(requests_.on_devices_alone ? step(on(device_kind::device)) : step());
    }
    const float amplitude = wave_.wavelet[std::size_t(n)];
    for (const position& at : wave_.sources) {
      const box cell({at.row, at.column}, {at.row + 1, at.column + 1});
      const auto shake = [&](const auto&... tags) {
        return launch(tags..., name("source"), wave_inject, cell, next(cell), ground_(cell), amplitude);
      };
      ends.push_back(requests_.on_devices_alone ? shake(on(device_kind::device)) : shake());
    }
  }

  /// Throws W19 for the step that failed first.
  void settle_oldest() {
    const std::vector<event> ends = std::move(in_flight_.front());
    in_flight_.pop_front();
    try {
      wait(merge(ends));
    } catch (const std::exception& e) {
      throw error("W19", "a step of the wave failed").because(e.what());
    }
  }

  /// Paints the field after so many steps while the steps go on, one frame after the other.
  void submit_frame(int steps) {
    auto cells = after_steps(steps).read(box_of(whole_));
    const future<void> previous = frames_.empty() ? future<void>() : frames_.back();
    const auto body = [this, cells]() mutable {
      const auto seen = std::move(cells).get();
      const auto v = seen.view();
      requests_.paint({&v(0, 0), std::ptrdiff_t(v.stride_bytes(0)) / std::ptrdiff_t(sizeof(float)), whole_.size()});
    };
    frames_.push_back(frames_.empty() ? async(after(cells), name("paint a frame"), body)
                                      : async(after(cells, previous), name("paint a frame"), body));
  }

  field gather(int parity) const {
    field all(wave_.size());
    const auto seen = after_steps(parity).read(box_of(whole_)).get();
    const auto v = seen.view();
    for (int r = 0; r < whole_.rows(); ++r) std::copy_n(&v(r, 0), whole_.columns(), all.view().row(r));
    return all;
  }

  const problem& wave_;
  const tiling& tiles_;
  const run_requests& requests_;
  const rectangle whole_;
  const damping factors_;
  const object<float, 2> ground_;
  const object<float> row_, column_;
  const std::array<object<float, 2>, 2> fields_;
  std::deque<std::vector<event>> in_flight_;  // of the steps submitted last
  std::vector<future<void>> frames_;
};

}  // namespace

tasks_result run_objects(const problem& wave, const tiling& tiles, const run_requests& requests) {
  return object_steps(wave, tiles, requests).run();
}

tiling choose_device_tiling(extent grid) { return cut(grid, 1, std::clamp(grid.rows / (4 * halo), 1, 12)); }

}  // namespace stretto::wave
