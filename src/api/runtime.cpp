#include <stretto/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <bitset>
#include <cstdio>
#include <mutex>

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include "data/data_floor.hpp"
#include "event/event_floor.hpp"
#include "base/options.hpp"
#include "sched/running.hpp"
#include "sched/start.hpp"
#include "trace/chrome.hpp"
#include "trace/recorder.hpp"

namespace stretto {
namespace {

// The one thing that runtimes of a process share: which node numbers are taken, so that handles tell them apart.
std::mutex nodes_mutex;
std::bitset<0x8000> nodes_taken;

std::uint16_t take_node() {
  std::scoped_lock lock(nodes_mutex);
  for (std::uint16_t n = 0; n < nodes_taken.size(); ++n)
    if (!nodes_taken[n]) {
      nodes_taken[n] = true;
      return n;
    }
  throw error("S08", "there are 32768 runtimes in this process").remedy("destroy some");
}

void give_node(std::uint16_t n) noexcept {
  std::scoped_lock lock(nodes_mutex);
  nodes_taken[n] = false;
}

sched::scheduler_paths paths_of(const platform& machine) {
  sched::scheduler_paths paths;
  paths.places = static_cast<std::uint32_t>(machine.place_count());
  const auto indices = [](std::span<const place> path) {
    std::vector<std::uint16_t> out;
    for (place p : path) out.push_back(static_cast<std::uint16_t>(p.index));
    return out;
  };
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w) {
    paths.pop.push_back(indices(machine.pop_path(w)));
    paths.steal.push_back(indices(machine.steal_path(w)));
  }
  for (place p : machine.places()) paths.names.push_back(machine.name(p));
  return paths;
}

}  // namespace

struct runtime::state {
  base::settings settings;
  platform machine;
  base::runtime_context context;
  trace::recorder recorder;
  std::unique_ptr<sched::scheduler> scheduler;
  std::atomic<bool> entered{false};

  state(base::settings s, platform m, std::uint16_t node)
      : settings(std::move(s)), machine(std::move(m)), recorder({.node = node, .level = level_of(settings)}) {
    context.node = node;
  }
  static trace::level level_of(const base::settings& s) {
    if (!s.trace.empty()) return trace::level::full;
    return static_cast<trace::level>(s.trace_level);
  }
};

runtime::runtime(const runtime_options& options) {
  base::settings settings = base::parse_options(base::stretto_environment(), {}).values;
  if (options.workers) settings.workers = *options.workers;
  if (options.stack_bytes) settings.stack_size = *options.stack_bytes;
  if (options.seed) settings.seed = *options.seed;
  if (options.trace) settings.trace = *options.trace;
  const auto workers = static_cast<std::uint32_t>(settings.workers);
  platform machine = options.machine             ? *options.machine
                     : !settings.platform.empty() ? platform::read(settings.platform)
                                                  : platform::discover(workers);
  if (workers && machine.worker_count() != workers) machine = machine.with_workers(workers);
  const std::uint16_t node = take_node();
  try {
    state_ = std::make_unique<state>(std::move(settings), std::move(machine), node);
    detail::start_events(state_->context);
    data::start_data(state_->context, state_->machine);
    state_->recorder.name_places(paths_of(state_->machine).names);
    state_->context.set(base::floor_slot::trace, &state_->recorder);
    const auto& s = state_->settings;
    state_->scheduler = sched::start(state_->context, paths_of(state_->machine),
                                     {.stack_bytes = s.stack_size,
                                      .max_suspended = s.max_suspended,
                                      .high_water = std::bit_ceil(s.high_water),
                                      .spin_microseconds = static_cast<std::uint32_t>(s.spin_us),
                                      .seed = s.seed,
                                      .stepped = options.stepped,
                                      .recorder = &state_->recorder});
  } catch (...) {
    if (state_) stop_floors();
    give_node(node);
    throw;
  }
}

runtime::~runtime() {
  if (const std::string told = sched::stop(std::move(state_->scheduler)); !told.empty())
    std::fprintf(stderr, "%s\n", told.c_str());  // a destructor has no other way to say so
  if (!state_->settings.trace.empty()) {
    try {
      save_trace(state_->settings.trace);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
  }
  stop_floors();
  give_node(state_->context.node);
}

void runtime::stop_floors() noexcept {
  data::stop_data(state_->context);
  detail::stop_events(state_->context);
}

void runtime::save_trace(const std::string& file) const {
  trace::write_chrome(std::filesystem::path(file), state_->recorder.take_snapshot());
}

runtime::entered::entered(runtime& r, const std::source_location& where) : owner(r) {
  if (base::current())
    throw error("S07", "run was called on a thread that is inside a runtime already")
        .fact("called", where)
        .remedy("spawn with async; runtimes do not nest on one thread");
  if (r.state_->entered.exchange(true))
    throw error("S07", "run was called while another thread is inside run")
        .fact("called", where)
        .because("the caller of run becomes worker 0, of which there is one")
        .remedy("attach this thread and spawn tasks, or call run later");
  sched::enter_worker(*r.state_->scheduler->workers[0]);
}

runtime::entered::~entered() {
  sched::leave_worker(*owner.state_->scheduler->workers[0]);
  owner.state_->entered.store(false);
}

bool runtime::step() {
  if (!state_->scheduler->settings.stepped)
    throw error("S01", "step was called on a runtime that has threads of its own")
        .remedy("make it with runtime_options{.stepped = true}");
  if (state_->entered.exchange(true))
    throw error("S07", "step was called while another thread is inside run or step");
  const bool stepped = sched::step(*state_->scheduler);
  state_->entered.store(false);
  return stepped;
}

runtime_statistics runtime::statistics() const {
  const sched::scheduler& s = *state_->scheduler;
  runtime_statistics out;
  for (const auto& w : s.workers)
    out.workers.push_back({w->tasks.count(), w->steals.read(), w->stolen.read(), w->suspensions.read(), w->parks.read()});
  out.events = detail::event_statistics_of(state_->context);
  out.stacks = s.stacks.made();
  for (const auto& stock : s.stocks) out.task_bytes += stock->footprint();
  return out;
}

std::uint32_t runtime::workers() const noexcept { return static_cast<std::uint32_t>(state_->scheduler->workers.size()); }
std::uint16_t runtime::node() const noexcept { return state_->context.node; }
const platform& runtime::machine() const noexcept { return state_->machine; }

attachment::attachment(runtime& r) : owner_(&r) {
  if (base::current())
    throw error("S07", "this thread belongs to a runtime already").remedy("attach only threads of your own");
  auto* t = r.state_->scheduler->attach();
  thread_ = t;
  base::set_current(t);
}

attachment::~attachment() {
  data::leave_data(*static_cast<sched::thread_state*>(thread_));
  base::set_current(nullptr);
  owner_->state_->scheduler->detach(static_cast<sched::thread_state*>(thread_));
}

}  // namespace stretto
