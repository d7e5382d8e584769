#include "doctor/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace stretto::doctor {
namespace {

constexpr std::array marks{"ok", "--", "!", "!!"};
constexpr std::array names{"fine", "absent", "limited", "broken"};

std::string title_of(const std::string& group) {
  if (group == "pieces") return "What is here";
  if (group == "devices") return "Devices for kernels";
  if (group == "mpi") return "MPI, for several nodes";
  if (group == "limits") return "Limits";
  return "Speed";
}

}  // namespace

std::string to_text(const findings& seen, const std::vector<verdict>& verdicts) {
  std::string text = fmt::format("{}\n{}\n", seen.system.empty() ? "an unknown system" : seen.system,
                                 seen.processor.empty() ? "an unknown processor" : seen.processor);
  const std::string* group = nullptr;
  for (const verdict& v : verdicts) {
    if (!group || *group != v.group) text += fmt::format("\n{}\n", title_of(v.group));
    group = &v.group;
    text += fmt::format("  {:3}{:16}{}\n", marks[static_cast<std::size_t>(v.grade)], v.topic, v.says);
    const char* const word = v.grade == grade::absent ? "adds: " : v.group == "speed" ? "expected: " : "";
    if (!v.means.empty()) text += fmt::format("{:21}{}{}\n", "", word, v.means);
    if (!v.remedy.empty()) text += fmt::format("{:21}try: {}\n", "", v.remedy);
  }
  const auto count = [&](grade g) { return std::ranges::count(verdicts, g, &verdict::grade); };
  text += fmt::format("\n{} fine, {} not here, {} limited, {} broken\n", count(grade::fine), count(grade::absent),
                      count(grade::limited), count(grade::broken));
  return text;
}

std::string to_json(const findings& seen, const std::vector<verdict>& verdicts) {
  using json = nlohmann::ordered_json;
  auto rows = json::array();
  for (const verdict& v : verdicts)
    rows.push_back({{"group", v.group},
                    {"topic", v.topic},
                    {"grade", names[static_cast<std::size_t>(v.grade)]},
                    {"says", v.says},
                    {"means", v.means},
                    {"try", v.remedy}});
  auto devices = json::array();
  for (const device_found& d : seen.devices)
    devices.push_back({{"kind", d.kind},
                       {"name", d.name},
                       {"usable", d.is_usable},
                       {"memory_bytes", d.memory},
                       {"units", d.units},
                       {"double_precision", d.has_double},
                       {"reason", d.reason}});
  constexpr std::array trials{"not made", "passed", "failed"};
  auto mpis = json::array();
  for (const mpi_found& m : seen.mpis)
    mpis.push_back({{"name", m.name},
                    {"launcher", m.launcher},
                    {"library", m.library},
                    {"version", m.version},
                    {"fault", m.fault},
                    {"trial", trials[static_cast<std::size_t>(m.trial)]},
                    {"trial_fault", m.trial_fault},
                    {"shares_memory", m.shares_memory}});
  const auto figure = [](const std::optional<double>& x) { return x ? json(*x) : json(nullptr); };
  const json all{{"system", seen.system},
                 {"processor", seen.processor},
                 {"verdicts", rows},
                 {"devices", devices},
                 {"mpi", mpis},
                 {"measured",
                  {{"hand_off_seconds", figure(seen.speeds.hand_off)},
                   {"spawn_and_wait_seconds", figure(seen.speeds.spawn_and_wait)},
                   {"trigger_seconds", figure(seen.speeds.trigger)},
                   {"copy_bytes_per_second", figure(seen.speeds.copy)},
                   {"cycle_seconds", figure(seen.yardsticks.cycle)},
                   {"locked_operation_seconds", figure(seen.yardsticks.locked)},
                   {"transfer_between_cores_seconds", figure(seen.yardsticks.transfer)},
                   {"memcpy_bytes_per_second", figure(seen.yardsticks.memcpy)}}}};
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace stretto::doctor
