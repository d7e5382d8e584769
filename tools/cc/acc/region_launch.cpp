#include "cc/acc/region_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "cc/acc/directive_calls.hpp"
#include "cc/acc/directive_text.hpp"

namespace stretto::cc::acc {
namespace {

std::string part_in(const open_data& data, const declaration* of) {
  for (std::size_t i = 0; i < data.items.size(); ++i)
    if (is_same(data.items[i].of, of) && !data.items[i].is_member())
      return fmt::format("&{}[{}]", items_name(data.number), i);
  return "";
}

/// The part of an array that is on the device, by the innermost clause that names it.
std::string part_text(const declaration* of, const open_data& own, std::span<const open_data> around) {
  if (const std::string found = part_in(own, of); !found.empty()) return found;
  for (const open_data& one : std::views::reverse(around))
    if (const std::string found = part_in(one, of); !found.empty()) return found;
  return "0";
}

std::string argument_text(const kernel_argument& one, const open_data& own, std::span<const open_data> around) {
  const std::string& path = one.of->path;
  const bool is_array = one.of->type.is == type_form::array, is_pointer = one.of->type.is == type_form::pointer;
  const char* const way = is_pointer ? (one.is_device_address ? "3" : "2") : one.way == argument_way::value ? "0" : "1";
  return fmt::format("{{{}, (void *){}{}, sizeof({}), {}, \"{}\"}}", way, is_array ? "" : "&", path,
                     is_pointer ? "void *" : path, part_text(one.of, own, around), one.of->name);
}

/// Declarations of the extents and of the array.
std::string arguments_text(const region_plan& plan, const open_data& own, std::span<const open_data> around) {
  std::string extents, all;
  int count = 0;
  for (const kernel_argument& one : plan.arguments) {
    for (const row_extent& extent : one.sized.extents) {
      extents += fmt::format("unsigned long stretto_extent_{} = {}; ", count, extent.of_host);
      all += fmt::format("{{0, &stretto_extent_{}, sizeof(unsigned long), 0, \"\"}}, ", count++);
    }
    all += argument_text(one, own, around) + ", ";
  }
  return fmt::format("{}const struct stretto_acc_argument stretto_arguments[] = {{{}{{0, 0, 0, 0, 0}}}};", extents,
                     all);
}

std::size_t argument_count(const region_plan& plan) {
  std::size_t count = 0;
  for (const kernel_argument& one : plan.arguments) count += 1 + one.sized.extents.size();
  return count;
}

}  // namespace

std::string is_on_host_text(const directive& d) {
  const clause* const self = d.find(clause_kind::self);
  const std::string by_self = !self                     ? "0"
                              : self->arguments.empty() ? "1"
                                                        : fmt::format("({})", joined_text(self->arguments[0]));
  return fmt::format("!{} || {}", condition_text(d), by_self);
}

std::string launch_text(const std::string& kernel, const region_plan& plan, unsigned number,
                        std::span<const open_data> around, const std::string& functions) {
  const directive& d = plan.directive->what;
  const open_data own{number, plan.data};
  const std::string data = items_name(number);
  const std::string launch =
      fmt::format("{}, {}, {}, {}, stretto_arguments, {}, (long)({}), (long)({}), {}, {}, &{}_device", kernel,
                  place_text(d.where), data, plan.data.size(), argument_count(plan), plan.gangs,
                  plan.work.empty() ? "0" : plan.work, queue_text(d), is_on_host_text(d), kernel);
  return fmt::format(
      "{{ {}{}{} {} const struct stretto_acc_launch stretto_launch = {{{}}}; stretto_acc_run(&stretto_launch); }}\n",
      functions, waits_text(d), declaration_of(plan.data, data), arguments_text(plan, own, around), launch);
}

}  // namespace stretto::cc::acc
