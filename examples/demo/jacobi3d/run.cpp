#include "demo/jacobi3d/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include <stretto/checkpoint.hpp>
#include <stretto/error.hpp>
#include <stretto/job.hpp>
#include <stretto/stretto.hpp>

#include "demo/jacobi3d/cuboid.hpp"
#include "demo/jacobi3d/device_cuboid.hpp"
#include "demo/stopwatch.hpp"

namespace jacobi3d {
namespace {

using namespace stretto;
using tools::seconds_of;

template <class Cuboid>
struct pieces {
  triple parts = {};                // along each axis
  std::vector<mobile<Cuboid>> all;  // x first
  std::uint32_t step = 0;           // that they have reached

  triple position(std::size_t i) const {
    const auto at = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    return {at(i % parts[0]), at(i / parts[0] % parts[1]), at(i / parts[0] / parts[1])};
  }
  std::array<mobile<Cuboid>, sides> neighbours(std::size_t i) const {
    std::array<mobile<Cuboid>, sides> found;
    std::size_t stride = 1;
    for (unsigned axis = 0; axis < 3; stride *= parts[axis++]) {
      if (position(i)[axis] > 0) found[2 * axis] = all[i - stride];
      if (position(i)[axis] + 1 < parts[axis]) found[2 * axis + 1] = all[i + stride];
    }
    return found;
  }
};

/// Neighbours are on the same node if the cut allows it: each node has consecutive cuboids.
template <class Cuboid>
pieces<Cuboid> made(const problem& p, const triple& parts) {
  pieces<Cuboid> c{parts, {}, 0};
  for (std::size_t i = 0; i < cells(parts); ++i) {
    const triple at = c.position(i);
    const std::string called = fmt::format("cuboid {}, {}, {}", at[0], at[1], at[2]);
    const auto node = static_cast<std::uint32_t>(i * job_nodes() / cells(parts));
    c.all.push_back(make_mobile<Cuboid>(at_node(node), name(called), p, block_at(p.size, parts, at)));
  }
  std::vector<event> begun;
  for (std::size_t i = 0; i < c.all.size(); ++i) begun.push_back(send(c.all[i], call<&Cuboid::begin>(c.neighbours(i))));
  wait(merge(begun));
  return c;
}

/// The parameters that must be equal to continue from a checkpoint.
std::string words_of(const request& r) {
  return fmt::format("{} x {} x {} cells, {} steps, {}", r.what.size[0], r.what.size[1], r.what.size[2],
                     r.what.iterations, r.where == cells_on::devices ? "computed by devices" : "computed by workers");
}

template <class Cuboid>
pieces<Cuboid> restored(const checkpoint& saved) {
  saved.restore_objects();
  return {saved.value<triple>("parts"), saved.value<std::vector<mobile<Cuboid>>>("cuboids"),
          saved.value<std::uint32_t>("step")};
}

/// In stretches of steps. Cuboids rest where one ends, for as long as it takes to copy them: files are written during
/// the next one.
template <class Cuboid>
void go_on(pieces<Cuboid>& c, const request& r, measured& m) {
  std::optional<future<void>> saved;
  while (c.step < r.what.iterations) {
    c.step = r.checkpoint.empty() ? r.what.iterations : std::min(c.step + r.every, r.what.iterations);
    std::vector<event> reached;
    for (const auto& one : c.all) {
      const user_event done = user_event::create();
      detached([&] { send(one, call<&Cuboid::go_on_to>(c.step, done)); });
      reached.push_back(done);
    }
    wait(merge(reached));
    if (saved) saved->get();
    if (c.step == r.what.iterations) break;
    saved = save_checkpoint(r.checkpoint.string(), {keep("run", words_of(r)), keep("parts", c.parts),
                                                    keep("cuboids", c.all), keep("step", c.step)});
    ++m.saved;
  }
}

template <class Cuboid>
measured compute(const request& r, const checkpoint* from, std::uint32_t factor, std::uint32_t workers,
                 const field& expected) {
  auto c = from ? restored<Cuboid>(*from) : made<Cuboid>(r.what, cut(r.what.size, factor * job_nodes() * workers));
  measured m{.cuboids = static_cast<std::uint32_t>(c.all.size()), .from = c.step};
  m.seconds = seconds_of([&] { go_on(c, r, m); });
  for (std::size_t i = 0; i < c.all.size(); ++i) {
    const auto& one = c.all[i];
    const block where = block_at(r.what.size, c.parts, c.position(i));
    const double off = largest_difference(send(one, call<&Cuboid::values>()).get(), where, expected);
    if (!(off <= 0))
      throw error("W32", "the cuboids and the serial loop computed different values")
          .fact("cuboid", to_string(one))
          .fact("difference", fmt::format("{:.3g}", off))
          .because("the split into cuboids does not change how a cell is computed from its six neighbours")
          .remedy("this is a fault of Stretto: please report it with the command line");
    m.last_change = std::max(m.last_change, send(one, call<&Cuboid::last_change>()).get());
    destroy(one);
  }
  return m;
}

/// Before the serial loop takes its time.
std::optional<checkpoint> opened(const request& r) {
  if (r.restore.empty()) return {};
  auto saved = try_open_checkpoint(r.restore.string());
  if (!saved)
    throw error("C06", fmt::format("{} is not a checkpoint", r.restore.string()))
        .because("there is no such directory")
        .remedy("name the folder that --checkpoint named, or leave out --restore to begin anew");
  if (const auto is = saved->value<std::string>("run"); is != words_of(r))
    throw error("W38", fmt::format("\"{}\" is the checkpoint of another run", r.restore.string()))
        .fact("found", is)
        .fact("requested", words_of(r))
        .remedy("ask for the same run, on any number of nodes; or name another directory");
  return saved;
}

}  // namespace

report run(const request& r, std::uint32_t workers) {
  report found{.what = r.what, .where = r.where, .nodes = job_nodes(), .workers = workers, .runs = {}};
  const auto from = opened(r);
  const auto factors = from ? std::vector{1u} : r.factors;
  if (!from)
    for (const std::uint32_t factor : factors) cut(r.what.size, factor * found.nodes * workers);
  double change = 0;
  field expected;
  found.serial_seconds = seconds_of([&] { expected = relaxed_serially(r.what, change); });
  const auto compute_in = r.where == cells_on::devices ? compute<device_cuboid> : compute<cuboid>;
  for (const std::uint32_t factor : factors)
    found.runs.push_back(compute_in(r, from ? &*from : nullptr, factor, workers, expected));
  return found;
}

}  // namespace jacobi3d
