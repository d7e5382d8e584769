#include "demo/particles/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <stretto/balancing.hpp>
#include <stretto/checkpoint.hpp>
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/remote.hpp>

#include "demo/particles/conserved_quantities.hpp"
#include "demo/particles/serial_reference.hpp"
#include "demo/stopwatch.hpp"

namespace particles {
namespace {

using namespace stretto;
using tools::seconds_of;

collection<patch> make_patches(const request& r, const std::vector<particle>& start) {
  const box b = r.what.in();
  std::vector<std::uint32_t> row_of(b.cells), column_of(b.cells);
  for (std::uint32_t y = 0; y < r.patches.y; ++y)
    for (std::uint32_t x = 0; x < r.patches.x; ++x) {
      const block cells = block_of(b, r.patches, x, y);
      std::fill_n(column_of.begin() + cells.first[0], cells.size[0], x);
      std::fill_n(row_of.begin() + cells.first[1], cells.size[1], y);
    }
  std::vector<std::vector<particle>> parts(r.patches.patches());
  for (const particle& p : start)
    parts[column_of[b.cell_of(p.at[0])] + std::size_t{r.patches.x} * row_of[b.cell_of(p.at[1])]].push_back(p);
  const auto all = make_collection<patch>(name("patch"), parts.size(), r.what, r.patches);
  finish([&] {
    for (std::size_t i = 0; i < parts.size(); ++i) send(all[i], call<&patch::put>(std::move(parts[i])));
  });
  return all;
}

/// The parameters that must be equal to continue from a checkpoint.
std::string words_of(const request& r, const choice& with) {
  return fmt::format("{} particles of seed {} in {} x {} patches, {} steps, {} every {}", r.what.count, r.what.seed,
                     r.patches.x, r.patches.y, r.what.steps, with.name, r.each);
}

/// The patches of the checkpoint, if there is one, and the step that they have reached.
std::optional<collection<patch>> restored(const request& r, const choice& with, std::uint32_t& from) {
  if (r.checkpoint.empty()) return {};
  const auto saved = try_open_checkpoint(r.checkpoint.string());
  if (!saved) return {};
  const auto is = saved->value<std::string>("run"), wanted = words_of(r, with);
  if (is != wanted)
    throw error("W38", fmt::format("\"{}\" is the checkpoint of another run", r.checkpoint.string()))
        .fact("found", is)
        .fact("requested", wanted)
        .remedy("ask for the same run, with --patches if the number of nodes differs; or name another directory");
  saved->restore_objects();
  from = saved->value<std::uint32_t>("step");
  return saved->value<collection<patch>>("patches");
}

/// In stretches of steps, with a round before each.
void go_on(const collection<patch>& all, const request& r, const choice& with, barrier reached, measured& m) {
  const auto go_to = [&](std::uint32_t step) {
    detached([&] {
      for (std::size_t i = 0; i < all.size(); ++i) send(all[i], call<&patch::go_on_to>(step));
    });
    wait(reached.event());
    reached = reached.advance();
  };
  std::optional<future<void>> saved;
  if (m.from == 0) go_to(0);
  for (std::uint32_t step = m.from; step < r.what.steps;) {
    if (with.by) {
      broadcast(all, call([](const patch&) {})).get();  // a load counts when its handler is over
      m.moves += balance(all, with.by).get().moved;
      ++m.rounds;
    }
    go_to(step = std::min(step + r.each, r.what.steps));
    if (saved) saved->get();
    if (!r.checkpoint.empty() && step < r.what.steps)
      saved = save_checkpoint(r.checkpoint.string(),
                              {keep("run", words_of(r, with)), keep("step", step), keep("patches", all)});
  }
}

void check_same(const std::vector<particle>& found, const std::vector<particle>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const particle &one = found[i], &other = expected[i];
    if (one.id == other.id && one.at == other.at && one.velocity == other.velocity) continue;
    throw error("W35", "the patches and the serial loop computed different velocities")
        .fact("particle", fmt::format("{} of {}", one.id, expected.size()))
        .fact("velocity", fmt::format("{:.17g}, {:.17g}", one.velocity[0], one.velocity[1]))
        .fact("expected", fmt::format("{:.17g}, {:.17g}", other.velocity[0], other.velocity[1]))
        .because("the split into patches and their locations do not change the order in which forces are added")
        .remedy("this is a fault of Stretto: please report it with the command line");
  }
}

/// While one node computes alone, it sends every node an empty task each second. Otherwise the hang detectors of the
/// others would report a hang.
class sign_of_life {
 public:
  void operator()() {
    if (clock::now() - last_ < std::chrono::seconds(1)) return;
    last_ = clock::now();
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call([] {}));
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point last_ = clock::now();
};

struct known {
  std::vector<particle> start, end;
  conserved_quantities before;
};

measured run_once(const request& r, const choice& with, const known& k) {
  measured m{.balancer = with.name};
  const auto before = restored(r, with, m.from);
  const auto all = before ? *before : make_patches(r, k.start);
  const barrier reached = barrier::create(static_cast<std::uint32_t>(all.size()));
  broadcast(all, call<&patch::begin>(all, reached, r.each)).get();
  if (with.by) balance(all, balancers::none{}).get();  // loads count from here
  m.seconds = seconds_of([&] { go_on(all, r, with, reached, m); });

  auto found = reduce(all, call<&patch::content>(), std::vector<particle>(), [](auto so_far, const auto& more) {
                 so_far.insert(so_far.end(), more.begin(), more.end());
                 return so_far;
               }).get();
  std::ranges::sort(found, {}, &particle::id);
  check_conserved(k.before, conserved_by(r.what.in(), found));
  check_same(found, k.end);
  const auto costs =
      reduce(all, call<&patch::costs>(), std::vector<std::vector<cost>>(), [](auto so_far, const auto& more) {
        so_far.push_back(more);
        return so_far;
      }).get();
  m.loads = imbalances_of(costs, job_nodes());
  destroy(all).get();
  return m;
}

}  // namespace

double report::gain(const measured& m) const {
  const auto without = std::ranges::find(runs, "none", &measured::balancer);
  return without == runs.end() ? 0 : without->seconds / m.seconds;
}

report run(const request& r, std::uint32_t workers) {
  check(r.what, r.patches);
  report found{.what = r.what, .patches = r.patches, .each = r.each, .nodes = job_nodes(), .workers = workers};
  known k{.start = start_of(r.what), .end = {}, .before = {}};
  k.before = conserved_by(r.what.in(), k.start);
  found.serial_seconds = seconds_of([&] { k.end = moved_serially(r.what, k.start, sign_of_life()); });
  found.energy_change = (conserved_by(r.what.in(), k.end).energy - k.before.energy) / r.what.count;
  for (const choice& with : r.balancers) found.runs.push_back(run_once(r, with, k));
  return found;
}

}  // namespace particles
