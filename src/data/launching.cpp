// launching.cpp - kernels computed by the workers, on instances in the memory of the host.
#include <stretto/error.hpp>
#include <stretto/launch.hpp>

#include <memory>
#include <string>
#include <vector>

#include "data/data_state.hpp"
#include "device/host_work.hpp"

namespace stretto {

namespace {

// Below this many items a launch is one piece of work: spawning would cost more than it spreads.
constexpr std::uint64_t items_in_one_piece = 4096;

device::launch_range to_range(const kernel_range& r) {
  device::launch_range range;
  for (int a = 0; a < max_axes; ++a) {
    range.min[a] = r.ids.min()[a];
    range.max[a] = r.ids.max()[a];
    range.group[a] = r.group[a];
    // Axes beyond the last that says anything are a matter of writing only.
    if (range.min[a] != 0 || range.max[a] != 1 || range.group[a] != 1) range.dimensions = a + 1;
  }
  return range;
}

void refuse_wrong_range(const kernel_code& code, const kernel_range& r) {
  if (code.in_groups != r.is_of_groups)
    throw error("K24", "kernel \"" + std::string(code.name) + "\" is launched " +
                           (code.in_groups ? "without groups, but is written for groups" : "in groups, but is written for items"))
        .fact("launched", r.where)
        .remedy(code.in_groups ? "launch it over in_groups(groups, items_of_group)" : "launch it over a box");
  for (int a = 0; a < max_axes; ++a)
    if (r.group[a] < 1)
      throw error("K25", "kernel \"" + std::string(code.name) + "\" is launched in groups of " + std::to_string(r.group[a]) +
                             " items along axis " + std::to_string(a))
          .fact("launched", r.where)
          .remedy("a group has at least one item along every axis");
}

kernel_argument opened(const detail::instance_handle& h, const kernel_parameter& p, const std::source_location& where) {
  data::layout shape;
  std::byte* const first = detail::open_instance(h, shape, where);
  kernel_argument a;
  for (int axis = 0; axis < max_axes; ++axis) {
    a.stride[axis] = shape.stride[axis] / static_cast<std::int64_t>(p.element_bytes);
    a.min[axis] = shape.box.min()[axis];
    a.max[axis] = shape.box.max()[axis];
  }
  // It may lie outside of all memory: addresses are numbers here.
  a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(first) +
                                          static_cast<std::uintptr_t>(shape.offset_of(point())));
  return a;
}

/// A launch on its way: values are kept, instances are opened when it runs.
struct launching {
  const kernel_code& code;
  kernel_range range;
  std::vector<detail::launch_item> items;
  std::vector<std::vector<std::byte>> values;
  device::checking check;

  launching(const kernel_code& code, const kernel_range& range, std::span<const detail::launch_item> given,
            device::checking check)
      : code(code), range(range), items(given.begin(), given.end()), check(check) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!items[i].value) continue;
      const auto* const bytes = static_cast<const std::byte*>(items[i].value);
      values.emplace_back(bytes, bytes + code.parameters[i].element_bytes);
      items[i].value = values.back().data();
    }
  }

  void run() const {
    for (const detail::launch_item& i : items)
      if (i.array.record) wait(detail::ready_event(i.array, range.where), range.where);
    std::vector<device::launch_argument> arguments(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      kernel_argument& a = arguments[i].is;
      if (items[i].array.record) a = opened(items[i].array, code.parameters[i], range.where);
      else if (items[i].value) a.origin = static_cast<std::byte*>(const_cast<void*>(items[i].value));
      else a.stride[0] = 1, a.max[0] = items[i].local_elements;
    }
    const device::kept_arguments kept(code, arguments, 0);
    const device::launch_range whole = to_range(range);
    if (range.ids.is_empty()) return;
    const auto piece = [&](const box& part) { kept.run(whole, part.min().at, part.max().at, check); };
    if (static_cast<std::uint64_t>(whole.items()) <= items_in_one_piece) return piece(range.ids);
    forasync(range.ids, piece, range.where).get(range.where);
  }
};

}  // namespace

future<void> detail::launch_kernel(const kernel_code& code, const kernel_range& range, std::span<const launch_item> items,
                                   task_request request) {
  refuse_wrong_range(code, range);
  const base::thread_context& context = base::require_current("launch");
  const auto check = data::state_of(context).settings.check ? device::checking::on : device::checking::off;
  if (request.name.empty()) request.name = code.name;
  // Behind a pointer: a body is moved into its task, and values point into this.
  auto what = std::make_unique<const launching>(code, range, items, check);
  return spawn_as(request, [what = std::move(what)] { what->run(); }, range.where);
}

}  // namespace stretto
