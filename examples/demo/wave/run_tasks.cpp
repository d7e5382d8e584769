#include "demo/wave/run_tasks.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>

#include "demo/wave/first_failure.hpp"
#include "demo/wave/node_part.hpp"
#include "demo/wave/tile_fields.hpp"

namespace stretto::wave {
namespace {

/// Memory of the program as an instance.
class lent_field {
 public:
  lent_field(field_view<float> view, const char* name) {
    const std::array<std::int64_t, 2> strides{view.stride, 1};
    instance_ =
        pressure::external(view.origin, tile_fields::box_of(whole(view.size)), {.strides = strides, .name = name});
  }
  lent_field(const lent_field&) = delete;
  ~lent_field() { instance_.destroy(); }
  const pressure& as_instance() const { return instance_; }

 private:
  pressure instance_;
};

/// A field of the whole grid, which tiles are copied into.
struct whole_field {
  explicit whole_field(extent size) : cells(size) {}
  field cells;
  lent_field lent{cells.view(), "whole field"};
};

}  // namespace

tasks_result run_tasks(const problem& wave, const tiling& tiles, const run_requests& requests) {
  const std::uint32_t nodes = job_nodes();
  // The program's memory is only read.
  const auto coefficients = wave.coefficient.view();
  const lent_field ground({const_cast<float*>(coefficients.origin), coefficients.stride, coefficients.size}, "ground");
  std::array<whole_field, 2> last{whole_field(wave.size()), whole_field(wave.size())};
  std::array<std::optional<whole_field>, 2> frames;
  introductions all_parts(nodes);
  assignment all{.what = wave,
                 .across = tiles.across,
                 .down = tiles.down,
                 .nodes = nodes,
                 .home = this_node(),
                 .introductions = all_parts.address(),
                 .ground = ground.as_instance(),
                 .last = {last[0].lent.as_instance(), last[1].lent.as_instance()},
                 .frame_steps = requests.frame_steps,
                 .ended = barrier::create(nodes),
                 .failure = requests.failure};
  home_side home{requests, {}};
  if (!requests.frame_steps.empty()) {
    for (std::size_t turn = 0; turn < frames.size(); ++turn) {
      frames[turn].emplace(wave.size());
      all.frames[turn] = frames[turn]->lent.as_instance();
      home.frames[turn] = std::as_const(frames[turn]->cells).view();
    }
    all.framed = barrier::create(nodes);
    all.painted = barrier::create(1);
  }

  std::vector<future<part_result>> others;
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (n != all.home)
      others.push_back(async(at_node(n), name("part of the wave"),
                             call([](const assignment& a) { return run_part(a, nullptr); }, all)));
  part_result mine;
  std::exception_ptr failed, failed_here;
  try {
    mine = run_part(all, &home);
  } catch (...) {
    failed_here = std::current_exception();
  }
  for (const auto& one : others)  // what stopped somewhere else stopped this part too
    if (auto there = first_failure(one); there && !failed) failed = std::move(there);
  all.ended.destroy();
  if (!requests.frame_steps.empty()) all.framed.destroy(), all.painted.destroy();
  if (failed) std::rethrow_exception(failed);
  if (failed_here) std::rethrow_exception(failed_here);

  tasks_result result;
  result.steps = mine.steps;
  result.seconds = mine.seconds;
  result.step_tasks = mine.step_tasks;
  result.halo_copies = mine.halo_copies;
  for (const auto& one : others) {
    const part_result r = one.get();
    result.step_tasks += r.step_tasks;
    result.halo_copies += r.halo_copies;
    result.seconds = std::max(result.seconds, r.seconds);
  }
  if (result.seconds > 0) result.cells_per_second = double(wave.size().cells()) * result.steps / result.seconds;
  result.last = std::move(last[0].cells);
  result.before_last = std::move(last[1].cells);
  return result;
}

}  // namespace stretto::wave
