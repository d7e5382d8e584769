// The statistics of a runtime as a table and as JSON.
#include <fmt/format.h>
#include <algorithm>

#include <iterator>
#include <nlohmann/json.hpp>

#include <stretto/runtime.hpp>

namespace stretto {
namespace {

/// "1.25 s", "3.4 ms", "-" for nothing measured.
std::string time_text(double seconds) {
  if (seconds <= 0) return "-";
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} us", seconds * 1e6);
}

std::string bytes_text(std::uint64_t bytes) {
  if (!bytes) return "-";
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  unsigned unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace

std::string runtime_statistics::to_text() const {
  std::string out;
  const auto line = [&](const auto& name, const auto&... cells) {
    fmt::format_to(std::back_inserter(out), "{:<20}", name);
    (fmt::format_to(std::back_inserter(out), " {:>12}", cells), ...);
    out += '\n';
  };
  line("place", "tasks", "busy", "queued");
  for (const auto& p : places) line(p.place, p.tasks, time_text(p.busy_seconds), p.queued);
  line("worker", "tasks", "steals", "suspensions", "sleeps");
  for (std::size_t i = 0; i < workers.size(); ++i)
    line(i, workers[i].tasks, workers[i].steals, workers[i].suspensions, workers[i].parks);
  if (std::ranges::any_of(devices, [](const device_statistics& d) { return d.launches > 0; })) {
    line("launches on objects", "count", "time", "brought");
    for (const auto& d : devices) line(d.name, d.launches, time_text(d.busy_seconds), bytes_text(d.brought_bytes));
  }
  if (modules.empty()) return out;
  line("module", "count", "time", "bytes", "place");
  for (const auto& m : modules)
    line(m.module + " " + m.what, m.count, time_text(m.seconds), bytes_text(m.bytes), m.place.empty() ? "-" : m.place);
  return out;
}

std::string runtime_statistics::to_json() const {
  using nlohmann::ordered_json;
  ordered_json all;
  all["places"] = ordered_json::array();
  for (const auto& p : places)
    all["places"].push_back(
        {{"place", p.place}, {"tasks", p.tasks}, {"busy_seconds", p.busy_seconds}, {"queued", p.queued}});
  all["workers"] = ordered_json::array();
  for (const auto& w : workers)
    all["workers"].push_back({{"tasks", w.tasks},
                              {"steals", w.steals},
                              {"stolen_tasks", w.stolen_tasks},
                              {"suspensions", w.suspensions},
                              {"parks", w.parks}});
  all["devices"] = ordered_json::array();
  for (const auto& d : devices)
    all["devices"].push_back({{"name", d.name},
                              {"launches", d.launches},
                              {"busy_seconds", d.busy_seconds},
                              {"brought_bytes", d.brought_bytes}});
  all["modules"] = ordered_json::array();
  for (const auto& m : modules)
    all["modules"].push_back({{"module", m.module},
                              {"what", m.what},
                              {"place", m.place},
                              {"count", m.count},
                              {"seconds", m.seconds},
                              {"bytes", m.bytes}});
  all["events"] = {{"created", events.created},
                   {"untriggered", events.untriggered},
                   {"slots", events.slots},
                   {"retired", events.retired},
                   {"bytes", events.bytes}};
  all["suspended"] = suspended;
  all["stacks"] = stacks;
  all["task_bytes"] = task_bytes;
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace stretto
