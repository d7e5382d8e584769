#include <stretto/runtime.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <functional>

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include "api/live_runtimes.hpp"
#include "api/process_endpoint.hpp"
#include "api/runtime_devices.hpp"
#include "api/runtime_registry.hpp"
#include "api/trace_on_signal.hpp"
#include "base/error_output.hpp"
#include "base/log.hpp"
#include "base/node_numbers.hpp"
#include "base/options.hpp"
#include "base/order_observer.hpp"
#include "base/sanitizers.hpp"
#include "base/test_hook.hpp"
#include "base/tsan_ignore.hpp"
#include "buffers/buffers_floor.hpp"
#include "checkpoint/checkpoint_state.hpp"
#include "data/data_floor.hpp"
#include "data/order_check.hpp"
#include "device/device_channel.hpp"
#include "device/device_set.hpp"
#include "diagnose/job_hang_detector.hpp"
#include "diagnose/runtime_monitor.hpp"
#include "dist/dist_floor.hpp"
#include "dist/global_memory.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_floor.hpp"
#include "module/module_set.hpp"
#include "objects/objects_floor.hpp"
#include "objects/speeds_file.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scheduler_lifetime.hpp"
#include "sched/task_execution.hpp"
#include "sched/task_spans.hpp"
#include "trace/chrome.hpp"
#include "trace/counters.hpp"
#include "trace/recorder.hpp"

namespace stretto {
namespace {

/// Seconds without progress after which a hang is reported, unless option `stuck` says otherwise.
constexpr double stuck_by_default = 10;

base::settings settings_of_process() {
  const base::tsan_ignore_scope here;  // the first runtime makes the table of options, all read it
  const base::environment given = base::stretto_environment();
  const base::parsed_options read = base::parse_options(given, {});
  base::settings settings = read.values;
  static constinit std::atomic<bool> has_warned{false};  // a process may make many runtimes
  if (!has_warned.exchange(true))
    for (const error& e : read.misspelt) base::print_warning(e, settings.errors);
  if (!given.contains("STRETTO_STUCK")) settings.stuck = stuck_by_default;
  return settings;
}

/// A program may pause for long on purpose. A hang that is not proven is reported only on a terminal, or on request.
bool reports_unproven_hangs() { return base::stretto_environment().contains("STRETTO_STUCK") || isatty(STDERR_FILENO); }

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
  for (place p : machine.places()) {
    paths.names.push_back(machine.name(p));
    paths.kinds.push_back(machine.kind(p));
  }
  return paths;
}

/// With one worker, and in a stepped runtime, launches are pipelined only on request.
buffers::pipeline_mode pipeline_mode_of(base::switch_mode asked, bool is_alone) {
  if (asked == base::switch_mode::automatic)
    return is_alone ? buffers::pipeline_mode::off : buffers::pipeline_mode::by_cost;
  return asked == base::switch_mode::on ? buffers::pipeline_mode::always : buffers::pipeline_mode::off;
}

/// The file that keeps measured speeds of kernels; empty: none.
std::filesystem::path speeds_file(const base::settings& s) {
  if (s.speeds == "none") return {};
  return s.speeds.empty() ? objects::default_speeds_file() : std::filesystem::path(s.speeds);
}

/// The number of a node in the handles of its objects: from its job, or allocated while the runtime exists.
class node_number {
 public:
  explicit node_number(dist::job_member* in_job)
      : is_allocated_(!in_job), value_(in_job ? in_job->of().node() : allocated()) {}
  node_number(const node_number&) = delete;
  ~node_number() {
    if (is_allocated_) base::release_node_numbers(value_, 1);
  }
  operator std::uint16_t() const noexcept { return value_; }

 private:
  static std::uint16_t allocated() {
    if (const auto n = base::allocate_node_number()) return *n;
    throw error("S08", "there are 16384 runtimes in this process").remedy("destroy some");
  }

  const bool is_allocated_;
  const std::uint16_t value_;
};

}  // namespace

struct runtime::state {
  base::settings settings;
  const buffers::dry_settings dry;
  platform machine;
  std::unique_ptr<base::order_observer> observer;
  base::runtime_context context;
  std::shared_ptr<job_endpoint> endpoint;
  std::unique_ptr<device::device_set>
      devices;  // outlives `member`: other nodes may have mapped device memory until they end
  // These three handle messages that `member` receives, so they outlive it.
  std::unique_ptr<buffers::spmd_guard> guard;
  std::unique_ptr<mobiles::mobile_objects> mobile;
  std::unique_ptr<diagnose::job_hang_detector> job_watch;
  std::unique_ptr<dist::job_member> member;     // null: the runtime is in no job
  std::shared_ptr<dist::global_memory> global;  // null: none
  const node_number number;
  trace::recorder recorder;
  trace::counters counters;  // outlives `modules`
  sched::poll_coordinator polls;
  std::uint32_t spare_workers = 0;
  std::shared_ptr<device_scheduler> chosen_scheduler;  // the program's; null: that of the option `scheduler`
  modules::module_set modules;
  std::unique_ptr<sched::scheduler> scheduler;
  std::optional<trace_on_signal> on_signal;
  std::optional<live_runtime> live;
  std::unique_ptr<diagnose::monitored_runtime> watch;  // null if the runtime is stepped
  std::atomic<bool> entered{false};
  bool has_failed = false;  // a run has failed
  const pid_t process = ::getpid();
  const runtime* registered_as = nullptr;  // threads can be attached under this address; null: not yet
  state* next_abandoned = nullptr;         // list of the states that ~runtime() could not end

  state(base::settings s, const platform& m, std::shared_ptr<job_endpoint> job,
        const std::vector<std::shared_ptr<module>>& given, bool stepped)
      : settings(std::move(s)),
        dry(buffers::dry_settings_of(settings)),
        machine(m),
        endpoint(dry.nodes ? nullptr
                 : job     ? std::move(job)
                           : endpoint_of_process(settings)),
        member(endpoint ? join(*endpoint) : nullptr),
        number(member.get()),
        recorder({.node = member ? member->of().self() : number,
                  .job_nodes = member ? member->of().nodes() : 1,
                  .level = level_of(settings)}),
        modules(given, polls, counters, settings.errors) {
    context.node = number;
    devices = open_devices(settings, stepped, member.get(), number);
    if (!mobile) mobile = std::make_unique<mobiles::mobile_objects>(nullptr);
    const platform whole = data::with_host_memory(m);
    machine = modules.extended(devices ? devices->extended(whole) : whole);
    if (!settings.spill.empty()) machine = data::with_spill(machine);
    if (settings.global_memory) open_global_memory();
    if (!devices) return;
    device::add_device_channels(modules.channels_of_core(), *devices);
    polls.add(*devices);
    if (settings.device_threads && !stepped) poll_devices_from_own_threads();
    devices->record_into(recorder);
  }
  std::unique_ptr<dist::job_member> join(job_endpoint& at) {
    return std::make_unique<dist::job_member>(
        dynamic_cast<dist::endpoint&>(at), [this](dist::job& j, dist::failure_codec&) {
          j.limit({.memory_bytes = settings.message_memory, .max_message_bytes = settings.largest_message});
          using compares = buffers::spmd_guard::compares;
          guard = std::make_unique<buffers::spmd_guard>(j, settings.compare_nodes ? compares::yes : compares::no,
                                                        [this] { job_watch->wake(); });
          mobile = std::make_unique<mobiles::mobile_objects>(&j);
          job_watch = std::make_unique<diagnose::job_hang_detector>(j);
          for (const base::option& row : base::option_table())
            if (row.between == base::agreement::all_nodes)
              j.must_agree_on_option(std::string(row.name), base::spelt(row, settings));
        });
  }
  void open_global_memory() {
    global = member ? member->open_global_memory(settings.global_memory)
                    : std::make_shared<dist::global_memory>(settings.global_memory);
    machine = dist::global_memory::extended(machine);
    global->is_at(dist::global_memory::place_of(machine));
    dist::add_global_channels(modules.channels_of_core(), global);
  }
  void poll_devices_from_own_threads() {
    device::device_set& all = *devices;
    all.poll_separately(true);
    sched::poll_threads::sources sources;
    for (std::size_t n = 0; n < all.all().size(); ++n) sources.each.push_back([&all, n] { return all.poll_one(n); });
    sources.is_pending = [&all] { return all.pending() > 0; };
    sources.on_no_threads = [&all] { all.poll_separately(false); };
    polls.dedicate(std::move(sources));
  }
  /// Stops starting work, as a node of a job.
  void leave() {
    using ended = buffers::spmd_guard::ended;
    buffers::end_program(context, has_failed ? ended::after_failure : ended::normally);
    member->leave(*scheduler, polls);
  }
  /// Stops all started parts, the last one first: at the end of the runtime, or if its start failed.
  void end(runtime* whole) noexcept;
  std::string of_node(const std::string& file) const {
    return trace::file_of_node(file, member ? member->of().self() : 0).string();
  }
  static trace::level level_of(const base::settings& s) {
    if (!s.trace.empty()) return trace::level::full;
    return static_cast<trace::level>(s.trace_level);
  }
};

runtime::runtime(const runtime_options& options) {
  if (base::current())
    throw error("S15", "a runtime was made inside a task or an attached thread of another runtime")
        .because("its workers would have to wait for those of the other, and both runtimes have one worker per core")
        .remedy("use the existing runtime: async, launch and wait work in any function that its tasks call");
  base::settings settings = settings_of_process();
  if (options.workers) settings.workers = *options.workers;
  if (options.stack_bytes) settings.stack_size = *options.stack_bytes;
  if (options.seed) settings.seed = *options.seed;
  if (options.devices) settings.devices = *options.devices;
  if (options.trace) settings.trace = *options.trace;
  if (!settings.trace.empty()) trace::check_writable(settings.trace);  // before the run, not after it
  const auto workers = static_cast<std::uint32_t>(settings.workers);
  platform machine = options.machine              ? *options.machine
                     : !settings.platform.empty() ? platform::read(settings.platform)
                                                  : platform::discover(workers);
  if (workers && machine.worker_count() != workers) machine = machine.with_workers(workers);
  state_ = std::make_unique<state>(std::move(settings), machine, options.job, options.modules, options.stepped);
  state_->chosen_scheduler = options.scheduler;
  state_->spare_workers = options.spare_workers;
  state_->polls.timers().use_clock(options.clock);
  try {
    start(options.stepped);
  } catch (...) {
    state_->end(nullptr);
    detail::unregister_runtime(*this);
    throw;
  }
}

void runtime::start(bool stepped) {
  state& s = *state_;
  detail::start_events(s.context);
  dist::start_dist(s.context, s.member.get(),
                   s.dry.nodes ? dist::node_identity{s.dry.which.front(), s.dry.nodes} : dist::node_identity{});
  mobiles::start_mobile(s.context, *s.mobile,
                        {.seed = s.settings.seed,
                         .balance_policy = static_cast<mobiles::policy>(s.settings.balance),
                         .is_stepped = stepped});
  checkpoints::start_checkpoints(s.context);
  if (s.member) s.polls.add(*s.member);
  s.modules.initialise(s.context, s.machine);
  const bool checks = s.settings.check != base::check_mode::off;
  if (checks) s.context.observer = (s.observer = std::make_unique<data::order_check>()).get();
  const auto log = std::make_shared<base::logger>(base::node_name(s.context.node), s.settings.log);
  const bool recycles = base::test_hook("STRETTO_TEST_RECYCLE", 1) != 0;
  data::start_data(s.context, s.machine, s.modules.channels(), checks, s.devices.get(),
                   {.memory_bytes = s.settings.host_memory,
                    .spill = s.settings.spill,
                    .locked_bytes = s.settings.locked_memory,
                    .recycles = recycles,
                    .device_messages = s.settings.device_messages,
                    .first_of_global = s.global ? s.global->first_of_share() : nullptr,
                    .global_bytes = s.global ? s.global->layout().share_bytes() : 0,
                    .warn = [log](const std::string& text) { log->warn("{}", text); },
                    .inform = [log](const std::string& text) { log->info("{}", text); }});
  s.machine = data::with_copy_routes(s.machine, s.context);
  if (s.member) s.member->serve_data(s.context);
  constexpr const char* policies[] = {"fifo", "locality", "earliest_finish", "work_stealing"};
  objects::start_objects(s.context, s.devices.get(),
                         {.scheduler = s.chosen_scheduler,
                          .policy = policies[static_cast<std::size_t>(s.settings.scheduler)],
                          // A stepped run depends on its seed alone, and counts steps instead of time.
                          .speeds = stepped ? std::filesystem::path() : speeds_file(s.settings),
                          .depth = static_cast<std::uint32_t>(s.settings.prefetch),
                          .workers = s.machine.worker_count(),
                          .spill = s.settings.spill.empty() ? place() : data::spill_of(s.machine),
                          .log = s.settings.log,
                          .check = checks,
                          .recycles = recycles,
                          .clock = stepped ? objects::counting_clock() : std::function<std::uint64_t()>()});
  buffers::graph_recorder::settings graph;
  if (!s.settings.graph.empty())
    graph = {.file = s.of_node(s.settings.graph),
             .kind = s.settings.graph_kind,
             .costs = graph::costs_of(s.settings.graph_costs)};
  const bool measures = !stepped && s.dry.nodes == 0;
  buffers::start_buffers(s.context, s.devices.get(),
                         {.check = checks,
                          .measures = {.devices = measures && s.settings.weights != base::weight_mode::off,
                                       .nodes = measures && s.settings.weights == base::weight_mode::nodes},
                          .learn = s.settings.check == base::check_mode::learn,
                          .warn = [log](const std::string& text) { log->warn("{}", text); },
                          .graph = std::move(graph),
                          .dry = s.dry,
                          .pipeline = pipeline_mode_of(s.settings.pipeline, stepped || s.machine.worker_count() == 1),
                          .guard = s.guard.get()});
  // Workers spin longer if only polls notice completions: for messages 1 ms; for devices, whose kernels take longer, 2.
  unsigned longest_spin_us = s.member && s.member->of().needs_polling() ? 1000 : 0;
  if (s.devices && s.devices->prefers_spinning() && !s.settings.device_threads) longest_spin_us = 2000;
  sched::scheduler_paths paths = paths_of(s.machine);
  s.recorder.name_places(paths.names);
  s.recorder.name_modules(s.modules.owners());
  s.context.set(base::floor_slot::trace, &s.recorder);
  s.context.set(base::floor_slot::platform, &s.machine);
  s.scheduler = sched::start(s.context, std::move(paths),
                             {.stack_bytes = s.settings.stack_size,
                              .max_suspended = s.settings.max_suspended,
                              .longest_spin_microseconds = longest_spin_us,
                              .seed = s.settings.seed,
                              .stepped = stepped,
                              .errors_as_json = s.settings.errors == base::error_form::json,
                              .recorder = &s.recorder,
                              .polls = &s.polls,
                              .first_worker_polls = s.member && s.member->of().is_bound_to_thread(),
                              .spare_workers = s.spare_workers,
                              .servers = s.modules.servers()});
  if (s.job_watch && !stepped)
    s.job_watch->set_failure_hooks({.is_failure_known = [&s] { return buffers::has_failed_or_diverged(s.context); },
                                    .progress = [&s] { return diagnose::progress_now(*s.scheduler); },
                                    .end_waits = buffers::fail_stuck_waits});
  // Nothing has been counted yet: no task exists, and no operation is pending.
  for (auto& w : s.scheduler->workers) w->set(base::floor_slot::trace, &s.counters.add_slab());
  for (auto& w : s.scheduler->spares) w->set(base::floor_slot::trace, &s.counters.add_slab());
  if (s.scheduler->substitute) s.scheduler->substitute->as->set(base::floor_slot::trace, &s.counters.add_slab());
  s.registered_as = this;
  detail::register_runtime(*this);  // before `started`: threads of modules attach there
  s.modules.started(*this);
  if (s.member && !s.settings.trace.empty()) s.member->clock().measure(dist::job_clock::measuring_point::beginning);
  // A stepped runtime has no thread but the program's, unless the option `live` asks for one.
  using opens = live_runtime::opens;
  if (s.settings.live || !stepped)
    s.live.emplace(s.number, s.settings.live ? opens::at_once : opens::when_asked,
                   [this] { return statistics().to_json(); });
  if (stepped) return;
  std::function<void(const std::filesystem::path&)> save;
  if (s.recorder.is_on()) save = [this](const std::filesystem::path& file) { save_trace(file.string()); };
  s.on_signal.emplace(s.number, s.settings.trace, std::move(save));
  s.watch = std::make_unique<diagnose::monitored_runtime>(
      *s.scheduler, diagnose::monitor_settings{
                        .limit = s.settings.stuck,
                        .reports_unproven = reports_unproven_hangs(),
                        .file = s.settings.stuck_file.empty() ? std::string() : s.of_node(s.settings.stuck_file),
                        .errors = s.settings.errors,
                        .member = s.member.get(),
                        .job = s.job_watch.get()});
}

void runtime::state::end(runtime* whole) noexcept {
  const auto end_modules = [&] {
    mobile->clear();
    modules.finalise();
    buffers::stop_measuring(context);
    if (whole && settings.statistics) std::fputs(whole->statistics().to_text().c_str(), stderr);
  };
  // Lets no thread attach any more, once none is attached. Threads of modules end in `end_modules`.
  const auto close = [&] {
    const auto is_in_use = [&] { return scheduler->has_program_threads(); };
    return registered_as ? detail::unregister_runtime_unless(*registered_as, is_in_use) : !is_in_use();
  };
  if (watch) watch->draining();
  if (scheduler) {
    if (member && whole && !settings.trace.empty()) member->clock().measure(dist::job_clock::measuring_point::end);
    if (member && whole && !member->is_leaving()) leave();
    const auto unobserved = sched::stop(
        *scheduler, end_modules, [&] { return devices && devices->pending() > 0; },
        [&](const failure& f) { return buffers::may_be_caused_by_peers(context, f); }, close);
    // A destructor cannot throw.
    if (const auto unreported = buffers::unreported_peer_failure(context))
      base::print_error(*unreported, settings.errors);
    if (unobserved) base::print_error(*unobserved, settings.errors);
  } else {
    end_modules();
  }
  live.reset();  // not before: `stretto top` can show an end that hangs
  on_signal.reset();
  watch.reset();
  if (devices) devices->stop_notifying();
  polls.timers().use_clock(nullptr);  // another thread may move the clock
  polls.release();
  scheduler.reset();
  const auto or_print_error = [&](auto write) {
    try {
      write();
    } catch (const std::exception& e) {
      base::print_error(e, settings.errors);
    }
  };
  if (whole && !settings.trace.empty()) or_print_error([&] { whole->save_trace(of_node(settings.trace)); });
  if (whole) or_print_error([&] { buffers::report_graphs(context); });
  checkpoints::stop_checkpoints(context);
  buffers::stop_buffers(context);
  objects::stop_objects(context);
  data::stop_data(context);
  mobiles::stop_mobile(context);
  dist::stop_dist(context);
  detail::stop_events(context);
}

runtime::~runtime() {
  // A forked child does not have the runtime's threads. And exit() in a task, or while a thread is inside run, destroys
  // a static runtime that cannot end: the process ends without it.
  const bool is_used_here = base::current() && base::current()->runtime == &state_->context;
  if (state_->process == ::getpid() && !is_used_here && !state_->entered.load()) {
    state_->end(this);
    return;
  }
  detail::unregister_runtime(*this);
  // Threads may use it until the process ends. It stays reachable, so that it is not reported as a leak.
  static constinit std::atomic<state*> abandoned{nullptr};
  state* const left = state_.release();
  left->next_abandoned = abandoned.exchange(left);
}

void runtime::save_trace(const std::string& file) const {
  if (state_->member) state_->recorder.set_clock_offset(state_->member->clock().offset_ns());
  trace::write_chrome(std::filesystem::path(file), state_->recorder.take_snapshot());
}

namespace {

void refuse_other_process(pid_t made_in, const std::source_location& where) {
  if (made_in == ::getpid()) return;
  throw error("S16", "a runtime is used in a forked child of its process")
      .fact("called", where)
      .because("fork() copies the calling thread and none of the runtime's workers")
      .remedy("make a runtime in the child, or start the child with posix_spawn or fork and exec");
}

}  // namespace

runtime::entered::entered(runtime& r, const std::source_location& where) : of(*r.state_) {
  refuse_other_process(r.state_->process, where);
  if (base::current())
    throw error("S07", "run was called on a thread that is already inside a runtime")
        .fact("called", where)
        .remedy("spawn with async; runtimes do not nest on one thread");
  if (r.state_->entered.exchange(true))
    throw error("S07", "run was called while another thread is inside run")
        .fact("called", where)
        .because("the caller of run becomes worker 0, and a runtime has only one")
        .remedy("attach this thread and spawn tasks, or call run later");
  base::announce_acquire(&r.state_->entered);
  sched::worker& w = *r.state_->scheduler->workers[0];
  sched::enter_worker(w);
  sched::begin_body(w, where);
}

runtime::entered::~entered() {
  sched::end_body(*of.scheduler->workers[0]);
  sched::leave_worker(*of.scheduler->workers[0]);
  base::announce_release(&of.entered);
  of.entered.store(false);
  of.scheduler->call_substitute();
}

void runtime::fail(const std::source_location& where) {
  state_->has_failed = true;
  if (!state_->member) throw;
  // A stepped job runs all nodes on one thread, which cannot wait for replies.
  const auto queries = state_->scheduler->settings.stepped ? buffers::queries_nodes::no : buffers::queries_nodes::yes;
  if (auto why = buffers::handle_failed_run(state_->context, std::current_exception(), queries, where))
    throw *std::move(why);
  throw;
}

bool runtime::step() {
  if (!state_->scheduler->settings.stepped)
    throw error("S01", "step was called on a runtime with threads of its own")
        .remedy("make it with runtime_options{.stepped = true}");
  if (state_->entered.exchange(true)) throw error("S07", "step was called while another thread is inside run or step");
  const bool stepped = sched::step(*state_->scheduler);
  state_->entered.store(false);
  return stepped;
}

void runtime::leave() {
  if (!state_->scheduler->settings.stepped)
    throw error("S01", "leave was called on a runtime with threads of its own")
        .because("its destructor leaves the job, and serves the other nodes until the job ends")
        .remedy("destroy it; or make it with runtime_options{.stepped = true}");
  if (state_->member && !state_->member->is_leaving()) state_->leave();
}

bool runtime::is_job_over() const noexcept { return !state_->member || state_->member->is_over(); }

runtime_statistics runtime::statistics() const {
  const sched::scheduler& s = *state_->scheduler;
  const auto names = s.paths.names;
  runtime_statistics out;
  std::vector<place_statistics> all(names.size());
  const double seconds_per_tick = trace::clock::calibrate().ns_per_tick * 1e-9;
  std::uint64_t resumptions = 0;
  for (const auto& w : s.workers) {
    out.workers.push_back(
        {w->tasks.count(), w->steals.read(), w->stolen.read(), w->suspensions.read(), w->parks.read()});
    resumptions += w->resumptions.read();
    place_statistics& home = all[w->paths.pop->front()];
    home.tasks += w->tasks.count();
    home.busy_seconds += static_cast<double>(w->tasks.estimated_ticks()) * seconds_per_tick;
  }
  for (std::uint32_t p = 0; p < all.size(); ++p) {
    const auto queued = s.queued_at(p);
    if (!queued) continue;
    all[p].queued = *queued;
    all[p].place = names[p];
    out.places.push_back(std::move(all[p]));
  }
  out.devices = objects::statistics_of(state_->context);
  // Counters of modules are in nanoseconds (trace/statistic.cpp).
  for (trace::counter_value& c : state_->counters.read())
    out.modules.push_back({std::move(c.module), std::move(c.what), std::move(c.place), c.count,
                           static_cast<double>(c.time) * 1e-9, c.amount});
  out.events = detail::event_statistics_of(state_->context);
  // Read after the resumptions, so that the difference is rarely negative.
  std::uint64_t suspensions = 0;
  for (const auto& w : s.workers) suspensions += w->suspensions.read();
  out.suspended = suspensions > resumptions ? suspensions - resumptions : 0;
  out.stacks = s.stacks.made();
  for (const auto& stock : s.stocks) out.task_bytes += stock->footprint();
  return out;
}

std::uint32_t runtime::workers() const noexcept {
  return static_cast<std::uint32_t>(state_->scheduler->workers.size());
}
std::uint32_t runtime::node() const noexcept {
  return state_->dry.nodes ? state_->dry.which.front() : state_->member ? state_->member->of().self() : state_->number;
}
std::uint32_t runtime::nodes() const noexcept {
  return state_->dry.nodes ? state_->dry.nodes : state_->member ? state_->member->of().nodes() : 1;
}
const platform& runtime::machine() const noexcept { return state_->machine; }

attached_thread::attached_thread(runtime& r, std::source_location where) {
  if (base::current())
    throw error("S07", "this thread already belongs to a runtime")
        .fact("attached", where)
        .remedy("attach only threads of your own");
  const bool is_there = detail::with_registered(r, [&] {
    refuse_other_process(r.state_->process, where);
    sched::begin_substitute(*r.state_->scheduler);
    thread_ = r.state_->scheduler->attach(where);
  });
  if (!is_there)
    throw error("S17", "a thread was attached to a runtime that has ended or not started")
        .fact("attached", where)
        .because("existing attachments keep a runtime from ending, but this one came too late")
        .remedy("attach before another thread destroys the runtime, or join this thread first");
  base::set_current(static_cast<sched::thread_state*>(thread_));
}

attached_thread::~attached_thread() {
  auto* const t = static_cast<sched::thread_state*>(thread_);
  data::leave_data(*t);
  base::set_current(nullptr);
  t->owner->detach(t);
}

}  // namespace stretto
