#include "demo/wave/demonstration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stretto/error.hpp>
#include <utility>

#include "demo/wave/energy.hpp"
#include "demo/wave/image.hpp"
#include "demo/wave/interrupt.hpp"
#include "demo/wave/output_folder.hpp"
#include "demo/wave/painter.hpp"
#include "demo/wave/run_objects.hpp"
#include "demo/wave/serial_reference.hpp"
#include "demo/wave/shipped_medium.hpp"

namespace stretto::wave {
namespace {

namespace fs = std::filesystem;

constexpr int frames_per_second = 15;

/// Thrown out of the serial loop by Ctrl-C.
struct stopped_by_user {};

platform machine_for(const demonstration_request& request) {
  const auto workers = request.runtime.workers.value_or(0);
  if (request.platform_file.empty()) return platform::discover(workers);
  const auto machine = platform::read(request.platform_file);
  return workers ? machine.with_workers(workers) : machine;
}

/// The animation that tasks add frames to while the steps go on.
struct film {
  film(const medium& ground, const problem& wave)
      : painted(ground, wave.edge, wave.sources, frame_side),
        file(painted.size(), painter::palette(), frames_per_second) {}
  painter painted;
  animated_png file;
};

/// One run, from the plan to the files.
class demonstration {
 public:
  explicit demonstration(const demonstration_request& request) : request_(request) {}

  /// Checks everything that can be checked in advance.
  void prepare() {
    prepare_output(request_.asked.out);
    work_.medium = request_.asked.medium.empty() ? shipped_medium(running_program()) : request_.asked.medium;
    picture_ = read_image(work_.medium);
    machine_ = machine_for(request_);
    work_.picture = picture_.size;
    work_.planned = validate(request_.asked, {picture_.size, int(machine_->worker_count())});
    on_devices_ = request_.runtime.devices.value_or("none") != "none";
    if (request_.nodes > 1) work_over(request_.nodes);
  }

  int run() {
    prepare();
    auto settings = request_.runtime;
    settings.workers = std::uint32_t(work_.planned.workers);
    settings.machine = std::make_shared<const platform>(*machine_);
    if (settings.trace) trace_ = *settings.trace;
    std::optional<runtime> rt(std::in_place, settings);  // whose end writes the trace, however the tasks ended
    if (rt->nodes() > 1 && rt->node() != 0) {
      rt->run([] {});  // this one serves
      return 0;
    }
    work_over(rt->nodes());

    const auto ground =
        make_medium(resample(picture_, work_.planned.size), work_.planned.velocities, work_.planned.spacing_m);
    const auto wave = pose(ground, work_.planned.sources, work_.planned.steps);
    work_.velocities = {ground.slowest_mps, ground.fastest_mps};
    work_.time = wave.time;
    say(text_before(work_, request_.style));

    const interrupt ctrl_c;
    const auto in_tasks = compute_in_tasks(wave, ground, rt, ctrl_c);
    if (in_tasks.steps == wave.steps()) check(wave, in_tasks, ctrl_c);
    progress_.reset();
    say(request_.form == report_form::json ? json_of(work_, result_) : text_after(work_, result_, request_.style));
    if (!result_.serial) return interrupted_exit_code;
    if (!(result_.difference <= (on_devices_ ? tolerance_on_devices * result_.largest_pressure : 0)))
      throw error("W18", "the tasks and the serial loop computed different fields")
          .fact("difference",
                fmt::format("{:.3g}, of pressures up to {:.3g}", result_.difference, result_.largest_pressure))
          .because("both compute the same numbers in the same order, so this is a fault of Stretto")
          .remedy("report it, with the command and what `stretto --version` prints");
    return 0;
  }

 private:
  /// Text goes out line by line as it is known; of JSON there is one object, at the end.
  void say(const std::string& text) const {
    if (request_.form == report_form::json && !text.starts_with("{")) return;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }

  void work_over(std::uint32_t nodes) {
    work_.nodes = nodes;
    if (nodes > 1 && on_devices_)
      throw error("W34", "the wave demonstration uses no devices on several nodes")
          .fact("requested", fmt::format("--devices {} on {} nodes", *request_.runtime.devices, nodes))
          .because("it exchanges halos of tiles between host memories only")
          .remedy("--devices none, or one node");
    if (request_.asked.tiles) return;
    const auto& p = work_.planned;
    work_.planned.tiles = on_devices_ ? choose_device_tiling(p.size) : choose_tiling(p.size, p.workers * int(nodes));
  }

  /// Ends the runtime.
  tasks_result compute_in_tasks(const problem& wave, const medium& ground, std::optional<runtime>& rt,
                                const interrupt& ctrl_c) {
    const auto& planned = work_.planned;
    if (!planned.frame_steps.empty()) film_.emplace(ground, wave);
    run_requests requests{.frame_steps = planned.frame_steps,
                          .on_progress = [this](int n) { progress_->set(std::uint64_t(n)); },
                          .stop = &ctrl_c.wished(),
                          .failure = request_.failure};
    if (film_) requests.paint = [this](field_view<const float> u) { film_->file.add(film_->painted.frame(u)); };

    tasks_result in_tasks;
    show_progress("tasks", wave);
    try {
      rt->run([&] {
        in_tasks = on_devices_ ? run_objects(wave, planned.tiles, requests) : run_tasks(wave, planned.tiles, requests);
      });
      if (on_devices_) result_.devices = rt->statistics().devices;
      rt.reset();
    } catch (const error& failed) {
      rt.reset();
      progress_.reset();
      if (trace_.empty()) throw;
      throw error(failed).fact("trace", trace_.string());
    } catch (...) {
      rt.reset();
      progress_.reset();
      throw;
    }
    result_.steps = in_tasks.steps;
    result_.step_tasks = in_tasks.step_tasks;
    result_.halo_copies = in_tasks.halo_copies;
    result_.tasks = {in_tasks.seconds, in_tasks.cells_per_second};
    result_.largest_pressure = largest_of(std::as_const(in_tasks.last).view());
    result_.at_end = energy_between(std::as_const(in_tasks.last).view(), std::as_const(in_tasks.before_last).view(),
                                    wave.coefficient.view());
    progress_.reset();
    on_end(in_tasks, wave, ground);
    return in_tasks;
  }

  /// Where files are written once the tasks have ended, by themselves or by Ctrl-C.
  void on_end(const tasks_result& in_tasks, const problem& wave, const medium& ground) {
    const auto& out = request_.asked.out;
    const auto after = fmt::format("after {} step{}", in_tasks.steps, in_tasks.steps == 1 ? "" : "s");
    const painter still(ground, wave.edge, wave.sources, still_side);
    keep(out / "wave.png", encode_png(still.still(std::as_const(in_tasks.last).view())),
         "the wave field over its medium, " + after);
    if (film_ && film_->file.frames() > 0)
      keep(out / "wave_animated.png", film_->file.finish(),
           fmt::format("{} frames, {:.1f} s; browsers play it", film_->file.frames(),
                       double(film_->file.frames()) / frames_per_second));
    if (!trace_.empty()) result_.files.push_back({trace_, "the timeline of workers and tasks, for ui.perfetto.dev"});
  }

  void show_progress(const char* what, const problem& wave) {
    progress_.emplace(what, std::uint64_t(wave.steps()), request_.progress);
  }

  void keep(const fs::path& file, std::span<const std::byte> bytes, const std::string& what) {
    write_file(file, bytes);
    result_.files.push_back({file, what});
  }

  void check(const problem& wave, const tasks_result& in_tasks, const interrupt& ctrl_c) {
    show_progress("check", wave);
    try {
      const auto serial = run_serial(wave, [&](const field&, int n) {
        if (ctrl_c.wished()) throw stopped_by_user{};
        progress_->set(std::uint64_t(n));
      });
      result_.serial = speed{serial.seconds, serial.cells_per_second};
      result_.difference =
          std::max(largest_difference(std::as_const(in_tasks.last).view(), serial.last.view()),
                   largest_difference(std::as_const(in_tasks.before_last).view(), serial.before_last.view()));
    } catch (const stopped_by_user&) {
    }
  }

  const demonstration_request& request_;
  std::optional<progress> progress_;
  undertaking work_;
  grey_image picture_;
  std::optional<platform> machine_;
  outcome result_;
  std::optional<film> film_;
  fs::path trace_;  // empty: none
  bool on_devices_ = false;
};

}  // namespace

int demonstrate(const demonstration_request& request) { return demonstration(request).run(); }

void check(const demonstration_request& request) { demonstration(request).prepare(); }

}  // namespace stretto::wave
