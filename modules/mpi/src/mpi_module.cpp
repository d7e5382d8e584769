#include <stretto_mpi/mpi_module.hpp>

#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <thread>
#include <vector>

#include "engine.hpp"
#include "faults.hpp"
#include "start_call.hpp"

namespace stretto {

using mpi::thread_level;

namespace {

bool is_running() {
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  return is_initialised;
}
bool has_ended() {
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  return is_finalised;
}

thread_level level_of(int provided) {
  return provided == MPI_THREAD_MULTIPLE     ? thread_level::multiple
         : provided == MPI_THREAD_SERIALIZED ? thread_level::serialized
                                             : thread_level::funneled;
}
thread_level present_level() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return level_of(provided);
}
/// Returns the level that MPI provides, which may be less.
thread_level start_mpi(thread_level wanted) {
  constexpr int levels[] = {MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, levels[static_cast<int>(wanted)], &provided) != MPI_SUCCESS)
    throw mpi::no_mpi("MPI_Init_thread failed");
  return level_of(provided);
}

/// The workers whose pop or steal path visits a place of that kind.
std::vector<std::uint32_t> workers_at(const platform& machine, place_kind kind) {
  const auto visits = [&](std::span<const place> path) {
    return std::ranges::any_of(path, [&](place p) { return machine.kind(p) == kind; });
  };
  std::vector<std::uint32_t> all;
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w)
    if (visits(machine.pop_path(w)) || visits(machine.steal_path(w))) all.push_back(w);
  return all;
}

}  // namespace

struct mpi_module::state {
  std::shared_ptr<mpi::engine> engine = std::make_shared<mpi::engine>();
  mpi::counted_calls counts;
  std::uint32_t worker = 0;
  bool is_ours = false, starts_later = false, world_was_fatal = false, self_was_fatal = false;

  void begin(thread_level level) {
    world_was_fatal = mpi::return_errors(MPI_COMM_WORLD);
    self_was_fatal = mpi::return_errors(MPI_COMM_SELF);  // where MPI turns to for what is on no communicator
    engine->begin(level, worker, std::this_thread::get_id(), counts);
  }
  void end() noexcept {
    engine->end();
    const auto held = engine->calling();
    if (world_was_fatal) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (self_was_fatal) MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    if (is_ours) MPI_Finalize();
  }
};

mpi_module::mpi_module(const mpi_options& options) : options_(options) {}
mpi_module::~mpi_module() = default;

mpi::communicator mpi_module::on(MPI_Comm comm, std::source_location where) const {
  if (!state_ || !state_->engine->is_open()) throw mpi::no_mpi("no runtime uses the module now").fact("called", where);
  return state_->engine->on(comm);
}
thread_level mpi_module::threads() const noexcept { return state_ ? state_->engine->level() : options_.threads; }
std::size_t mpi_module::pending() const noexcept { return state_ ? state_->engine->pending() : 0; }

// Not at the end of the path, where what comes from threads that are no workers is put for all.
void mpi_module::add_places(platform_description& machine) const {
  std::uint32_t memory = 0;
  for (std::uint32_t i = 0; i < machine.places.size(); ++i) {
    if (machine.places[i].kind == place_kind::interconnect) return;
    if (machine.places[i].kind == place_kind::system_memory) memory = i;
  }
  place_description net;
  net.name = "interconnect";
  net.kind = place_kind::interconnect;
  const place is{static_cast<std::uint32_t>(machine.places.size())};
  machine.places.push_back(net);
  machine.links.push_back({place{memory}, is, {}, {}});
  auto& path = machine.pop_paths.at(0);
  path.insert(path.end() - 1, is);
}

void mpi_module::initialise(module_host& host) {
  if (has_ended()) throw mpi::no_mpi("MPI has been finalized in this process");
  where_ = host.claim(place_kind::interconnect).at(0);
  auto s = std::make_unique<state>();
  const auto workers = workers_at(host.machine(), place_kind::interconnect);
  const auto check_workers = [&](thread_level level) {
    if (level == thread_level::funneled && workers.size() != 1)
      mpi::not_one_worker(workers, host.machine().name(where_));
  };
  thread_level level = is_running() ? present_level() : options_.threads;
  check_workers(level);
  if (!workers.empty()) s->worker = workers[0];
  s->counts = {host.add_statistic("sends", where_), host.add_statistic("receives", where_),
               host.add_statistic("collective calls", where_), host.add_statistic("one-sided calls", where_)};
  host.add_poller(*s->engine);
  if (is_running()) {
    int is_main = 0;
    MPI_Is_thread_main(&is_main);
    if (level == thread_level::funneled && (!is_main || s->worker != 0)) throw mpi::other_thread(s->worker);
  } else if (level == thread_level::funneled && s->worker != 0) {
    s->starts_later = true;  // by that worker
  } else {
    level = start_mpi(level);
    s->is_ours = true;
    try {
      check_workers(level);
    } catch (...) {
      MPI_Finalize();
      throw;
    }
  }
  if (!s->starts_later) s->begin(level);
  state_ = std::move(s);
}

void mpi_module::started(runtime& owner) {
  const attached_thread here(owner);
  if (state_->starts_later)
    async(on_worker{stretto::worker(state_->worker)}, stretto::name("start of MPI"), [s = state_.get()] {
      const thread_level level = start_mpi(thread_level::funneled);
      s->is_ours = true;
      s->begin(level == thread_level::funneled ? level : thread_level::funneled);
    }).get();
  promise<void> kept;
  const auto done = kept.get_future();
  kept.set();
  state_->engine->open(done);
}

void mpi_module::finalise() {
  state_->engine->stop_polling();
  // The module ends MPI if it has started it, on the same thread.
  if (state_->starts_later && state_->engine->is_open())
    async(on_worker{stretto::worker(state_->worker)}, stretto::name("end of MPI"), [s = state_.get()] {
      s->end();
    }).get();
  else state_->end();
  served_ = std::move(state_);
}

}  // namespace stretto
