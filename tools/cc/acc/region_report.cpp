#include "cc/acc/region_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cc/acc/directive_text.hpp"

namespace stretto::cc::acc {
namespace {

constexpr int flags_of_actions = data_action::zero | data_action::finalize | data_action::if_present;

/// The loops of a plan in the order of the source.
std::map<unsigned, const loop_plan*> loops_by_line(const region_plan& plan, const preprocessed_text& source) {
  std::map<unsigned, const loop_plan*> all;
  for (const auto& [loop, of] : plan.loops) all[source.line_at(loop->offset).line] = &of;
  return all;
}

std::string text_of_loop(unsigned line, const loop_plan& plan) {
  if (!plan.is_divided) return fmt::format("line {}: in order within a gang", line);
  if (plan.collapsed < 2) return fmt::format("line {}: divided among gangs", line);
  return fmt::format("line {}: divided among gangs, {} loops together", line, plan.collapsed);
}

std::string text_of_implied(const data_item& item) {
  const char* const names[] = {"copy", "copyin", "copyout", "create", "no_create", "present"};
  const int action = item.action & ~flags_of_actions & ~data_action::implied;
  const bool is_part = (item.action & data_action::implied) != 0;
  return fmt::format("{}({}){}", names[std::clamp(action, 0, 5)], item.path, is_part ? " by the bounds of loops" : "");
}

bool has_clause(const directive& d, const data_item& item) {
  const auto names = [&](const clause& c) {
    return is_data_clause(c.kind) &&
           std::ranges::any_of(c.variables, [&](const variable& v) { return joined_text(v.path) == item.path; });
  };
  return std::ranges::any_of(d.clauses, names);
}

template <class All, class Name>
void add_names(std::vector<std::string>& lines, const std::string& what, const All& all, Name name) {
  std::vector<std::string> names;
  for (const auto& one : all)
    if (std::string text = name(one); !text.empty()) names.push_back(std::move(text));
  if (!names.empty()) lines.push_back(fmt::format("{}: {}", what, fmt::join(names, ", ")));
}

void add_kernels(std::vector<std::string>& lines, const device_translations& all) {
  for (const auto& [language, of] : {std::pair("OpenCL", &all.opencl), std::pair("CUDA", &all.cuda)})
    lines.push_back(fmt::format("{}: {}", language, of->kernel ? "a kernel" : "on the host, since " + of->reason));
}

std::vector<std::string> lines_of_loops(const region_plan& plan, const preprocessed_text& source) {
  std::vector<std::string> lines;
  if (plan.is_single) lines.push_back("one gang: " + plan.why_single);
  for (const auto& [line, loop] : loops_by_line(plan, source)) {
    lines.push_back(text_of_loop(line, *loop));
    add_names(lines, fmt::format("line {}: its results are combined", line), loop->reductions,
              [](const reduced_variable& one) { return one.is_found ? one.of->name : ""; });
  }
  return lines;
}

}  // namespace

std::vector<std::string> report_of(const region_plan& plan, const device_plans& of_devices,
                                   const device_translations& on_devices, const preprocessed_text& source) {
  std::vector<std::string> lines = lines_of_loops(plan, source);
  for (const auto& [language, of] : {std::pair("OpenCL", &of_devices.opencl), std::pair("CUDA", &of_devices.cuda)})
    for (const std::string& one : lines_of_loops(*of, source))
      if (std::ranges::find(lines, one) == lines.end()) lines.push_back(fmt::format("{}: {}", language, one));
  for (std::string& one : report_of_data(plan)) lines.push_back(std::move(one));
  add_kernels(lines, on_devices);
  return lines;
}

std::vector<std::string> report_of_part(const region_plan& plan, const device_translations& on_devices,
                                        const preprocessed_text& source) {
  std::vector<std::string> lines = lines_of_loops(plan, source);
  add_kernels(lines, on_devices);
  return lines;
}

std::vector<std::string> report_of_data(const region_plan& plan) {
  std::vector<std::string> lines;
  add_names(lines, "moved without a clause", plan.data,
            [&](const data_item& one) { return has_clause(plan.directive->what, one) ? "" : text_of_implied(one); });
  add_names(lines, "copied into each gang", plan.arguments, [](const kernel_argument& one) {
    const bool is_copied = one.way == argument_way::value && one.of->type.is != type_form::pointer;
    return is_copied || one.copied ? one.of->name : "";
  });
  return lines;
}

}  // namespace stretto::cc::acc
