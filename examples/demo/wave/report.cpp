#include "demo/wave/report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/plain_number.hpp"

namespace stretto::wave {
namespace {

/// "1 source", "3 sources"
std::string counted(std::size_t n, const char* one, const char* many) {
  std::string digits = std::to_string(n);
  for (auto at = std::ptrdiff_t(digits.size()) - 3; at > 0; at -= 3) digits.insert(std::size_t(at), 1, ',');
  return fmt::format("{} {}", digits, n == 1 ? one : many);
}

std::string time_text(double seconds) {
  if (seconds >= 1000) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 1) return base::plain_number(seconds, 3) + " s";
  return seconds >= 1e-3 ? base::plain_number(seconds * 1e3, 3) + " ms" : base::plain_number(seconds * 1e6, 3) + " us";
}

std::string rate_text(double cells_per_second) {
  return fmt::format("{:.0f} million cell updates/s", cells_per_second / 1e6);
}

class lines {
 public:
  explicit lines(text_style style) : coloured_(style == text_style::coloured) {}

  void add(const char* name, const std::string& value) {
    text_ += fmt::format("  {}{:<10}{}{}\n", coloured_ ? "\x1b[36m" : "", name, coloured_ ? "\x1b[0m" : "", value);
  }
  void blank() { text_ += "\n"; }
  void title(const std::string& text) {
    text_ += fmt::format("{}{}{}\n\n", coloured_ ? "\x1b[1m" : "", text, coloured_ ? "\x1b[0m" : "");
  }
  std::string take() { return std::move(text_); }

 private:
  bool coloured_;
  std::string text_;
};

std::string in_all(const plan& p, const time_scale& time) { return time_text(p.steps * time.step_s); }

}  // namespace

std::string text_before(const undertaking& work, text_style style) {
  const plan& p = work.planned;
  const tiling& t = p.tiles;
  lines out(style);
  out.title("wave: sound through the ground, a task for each step of each tile");
  out.add("medium", fmt::format("{}, {} x {} pixels", work.medium.string(), work.picture.columns, work.picture.rows));
  out.add("field", fmt::format("{} x {} cells of {:.3g} m; sound travels at {:.0f} to {:.0f} m/s", p.size.columns,
                               p.size.rows, p.spacing_m, work.velocities.black_mps, work.velocities.white_mps));
  out.add("time", fmt::format("{} of {}, {} in all", counted(std::size_t(p.steps), "step", "steps"),
                              time_text(work.time.step_s), in_all(p, work.time)));
  out.add("sources",
          fmt::format("{} of {:.3g} Hz", counted(p.sources.size(), "source", "sources"), work.time.frequency_hz));
  out.add("tiles", fmt::format("{} x {}, of up to {} x {} cells", t.across, t.down, t.tiles.front().columns(),
                               t.tiles.front().rows()));
  out.add("workers",
          work.nodes == 1 ? std::to_string(p.workers) : fmt::format("{} on each of {} nodes", p.workers, work.nodes));
  out.blank();
  return out.take();
}

std::string text_after(const undertaking& work, const outcome& result, text_style style) {
  const int workers = work.workers();
  lines out(style);
  out.add("tasks",
          fmt::format("{}, {} on {}", time_text(result.tasks.seconds), rate_text(result.tasks.cells_per_second),
                      counted(std::size_t(workers), "worker", "workers")));
  if (result.devices.empty())
    out.add("", fmt::format("{}, {}, no barrier", counted(result.step_tasks, "task", "tasks"),
                            counted(result.halo_copies, "halo copy", "halo copies")));
  else
    out.add("", fmt::format("{} for tiles, one for each source and step, no barrier",
                            counted(result.step_tasks, "launch", "launches")));
  for (const device_statistics& d : result.devices)
    out.add(&d == &result.devices.front() ? "computed" : "",
            fmt::format("{} by {}, {} MB brought there", counted(d.launches, "launch", "launches"), d.name,
                        d.brought_bytes / 1'000'000));
  if (result.serial) {
    out.add("serial", fmt::format("{}, {}, one plain loop on one core", time_text(result.serial->seconds),
                                  rate_text(result.serial->cells_per_second)));
    out.add("ratio", fmt::format("{:.2f} of the serial loop's speed per worker", result.speed_per_worker(workers)));
    out.add("check", fmt::format("largest difference from the serial loop {:.3g}, of pressures up to {:.3g}",
                                 result.difference, result.largest_pressure));
  } else {
    out.add("stopped", fmt::format("by Ctrl-C, after {} of {}; not checked against the serial loop", result.steps,
                                   counted(std::size_t(work.planned.steps), "step", "steps")));
  }
  const double total = result.at_end.total();
  if (total > 0) out.add("energy", fmt::format("{:.4g} (pressure squared, summed over cells)", total));
  else out.add("energy", "0: the sources have not begun to move the ground");
  out.blank();
  std::size_t widest = 0;
  for (const auto& one : result.files) widest = std::max(widest, one.file.string().size());
  for (const auto& one : result.files)
    out.add("written", fmt::format("{:<{}}  {}", one.file.string(), widest, one.what));
  return out.take();
}

std::string json_of(const undertaking& work, const outcome& result) {
  const plan& p = work.planned;
  using json = nlohmann::ordered_json;
  json all{{"demo", "wave"},
           {"medium", work.medium.string()},
           {"columns", p.size.columns},
           {"rows", p.size.rows},
           {"cell_m", p.spacing_m},
           {"step_s", work.time.step_s},
           {"frequency_hz", work.time.frequency_hz},
           {"steps_asked", p.steps},
           {"steps_done", result.steps},
           {"sources", p.sources.size()},
           {"tiles_across", p.tiles.across},
           {"tiles_down", p.tiles.down},
           {"nodes", work.nodes},
           {"workers", p.workers},
           {"tasks", result.step_tasks},
           {"halo_copies", result.halo_copies},
           {"tasks_seconds", result.tasks.seconds},
           {"tasks_cells_per_second", result.tasks.cells_per_second},
           {"energy_kinetic", result.at_end.kinetic},
           {"energy_potential", result.at_end.potential},
           {"largest_pressure", result.largest_pressure}};
  if (result.serial) {
    all["serial_seconds"] = result.serial->seconds;
    all["serial_cells_per_second"] = result.serial->cells_per_second;
    all["ratio_per_worker"] = result.speed_per_worker(work.workers());
    // JSON has no infinity; null says that a field held what is not a number.
    all["largest_difference"] = std::isfinite(result.difference) ? json(result.difference) : json(nullptr);
  }
  if (!result.devices.empty()) {
    json devices = json::array();
    for (const device_statistics& d : result.devices)
      devices.push_back({{"name", d.name}, {"launches", d.launches}, {"brought_bytes", d.brought_bytes}});
    all["devices"] = devices;
  }
  json files = json::array();
  for (const auto& one : result.files) files.push_back(one.file.string());
  all["files"] = files;
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace stretto::wave
