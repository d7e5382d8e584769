// launch_placement.cpp - checks a launch and decides between the workers and the device that has its arrays.
#include <stretto/error.hpp>
#include <stretto/launch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "data/data_state.hpp"
#include "data/device_launch.hpp"
#include "data/device_reductions.hpp"
#include "data/handle.hpp"
#include "data/host_launch.hpp"
#include "data/kernel_arguments.hpp"
#include "data/launch_placement.hpp"
#include "data/order_check.hpp"
#include "data/other_nodes.hpp"
#include "device/host_work.hpp"
#include "device/native_code.hpp"
#include "device/portability.hpp"
#include "device/trial_run.hpp"

namespace stretto {

namespace {

// A launch of fewer items is not split: spawning tasks would cost more than it gains.
constexpr std::int64_t items_in_one_piece = 4096;

/// For checked launches: warns of kernels that devices would refuse, and throws the errors of a trial run.
void check_by_trial(const kernel_code& code, const kernel_range& range, std::span<const kernel_argument> given) {
  base::thread_context& context = base::require_current("launch");
  if (const auto& warn = data::state_of(context).settings.warn) device::warn_of_device_refusal(code, warn);
  if (device::has_trial_run(code))
    device::run_trial(code, given, data::to_range(range), data::share_of(context).groups, &range.where);
}

/// "instance "u" is in "sim_0_memory"".
std::string where_of(const detail::launch_item& item) {
  const detail::instance_record& r = *item.array.record;
  return detail::describe(r) + " is in " + (r.space ? "\"" + r.space->name() + "\"" : "memory of the program");
}

/// Replaces handles of other nodes by local ones, and a reduction on a device by the array to which kernels contribute.
/// Returns `given` if there are none, else the changed copy in `renamed`.
std::span<const detail::launch_item> local_items(std::span<const detail::launch_item> given,
                                                 std::vector<detail::launch_item>& renamed,
                                                 base::thread_context& context, const std::source_location& where) {
  const auto is_local_item = [&](const detail::launch_item& i) {
    return !i.array.record || (data::is_local(i.array, context) && !data::is_on_device(i.array));
  };
  if (std::ranges::all_of(given, is_local_item)) [[likely]]
    return given;
  renamed.assign(given.begin(), given.end());
  for (detail::launch_item& i : renamed) {
    i.array = data::local_handle(i.array, "launch", context, where);
    if (!i.array.record) continue;
    data::usable(i.array, "launch", context, where);
    i.array = data::device_array_of(i.array);
  }
  return renamed;
}

/// The processor of a launch: the device whose memory holds arrays, if it can use all arrays; or the requested device,
/// if it can use all of them where they are; else null, the host. Throws K28 if no processor can use all arrays, or not
/// the requested one.
device::attached_device* device_for(const kernel_code& code, const kernel_range& range,
                                    std::span<const detail::launch_item> items, place asked,
                                    base::thread_context& context) {
  const device::device_set* const devices = data::state_of(context).settings.devices;
  device::attached_device* const wanted = devices ? devices->at(asked) : nullptr;
  const detail::launch_item* first = nullptr;
  const auto away = [](const detail::launch_item& i) { return !data::is_on_host(i.array.record->space); };
  const auto refuse = [&](std::string sentence) {
    error e("K28", "kernel \"" + std::string(code.name) + "\" is launched " + std::move(sentence));
    e.fact("launched", range.where);
    for (const detail::launch_item& i : items)
      if (i.array.record) e.fact("array", where_of(i));
    return std::move(e)
        .because("a kernel reads and writes the memory of one device, or that of the host")
        .remedy("copy() the arrays to one memory first");
  };
  const auto uses = [&](const device::attached_device& d, const detail::launch_item& i) {
    const data::memory_space* const space = i.array.record->space;
    return space && !i.array.record->reduction && (space->where() == d.memory() || space->where() == d.host_memory());
  };
  for (const detail::launch_item& i : items) {
    if (!i.array.record) continue;
    data::usable(i.array, "launch", context, range.where);
    if (!first || (away(i) && !away(*first))) first = &i;
  }
  device::attached_device* on = nullptr;
  if (first && away(*first)) {
    on = devices ? devices->at(first->array.record->space->where()) : nullptr;
    if (!on) throw refuse("on arrays in a memory that no processor of this runtime can access");
  }
  const auto all_used_by = [&](const device::attached_device& d) {
    return std::ranges::all_of(items, [&](const detail::launch_item& i) { return !i.array.record || uses(d, i); });
  };
  if (on && !all_used_by(*on)) throw refuse("on arrays in different memories");
  if (!on && wanted && all_used_by(*wanted)) on = wanted;
  if (asked && on != wanted)
    throw refuse(wanted ? "on device \"" + wanted->name() + "\", but its arrays are elsewhere"
                        : "on the host, but its arrays are in the memory of device \"" + on->name() + "\"");
  return on;
}

}  // namespace

void data::note_opened(std::span<const detail::launch_item> items, base::thread_context& context) {
  if (order_check* const checks = state_of(context).checks)
    for (const detail::launch_item& i : items)
      if (i.array.record) checks->opened(i.array);
}

bool data::is_one_piece(const kernel_code& code, const kernel_range& range) noexcept {
  if (code.in_groups || code.parameters.size() > piece_arguments::static_capacity) return false;
  std::int64_t items = 1;
  for (int a = 0; a < max_axes; ++a) {
    if (range.ids.length(a) > items_in_one_piece) return false;
    items *= range.ids.length(a);  // the product of three such numbers does not overflow
  }
  return items <= items_in_one_piece;
}

void data::run_piece(const kernel_code& code, const kernel_range& range, const piece_arguments& given,
                     device::index_checks check) {
  if (range.ids.is_empty()) return;
  if (check == device::index_checks::on) check_by_trial(code, range, {given.data(), given.size()});
  kernel_work work;
  for (int a = 0; a < max_axes; ++a) {
    work.min[a] = work.all_min[a] = range.ids.min()[a];
    work.max[a] = work.all_max[a] = range.ids.max()[a];
  }
  work.dimensions = dimensions_of(range);
  device::run_on_host(code, work, given.data(), check);
}

void data::run_on_host(const kernel_code& code, const kernel_range& range, const kernel_arguments& given,
                       device::index_checks check, spread over) {
  if (is_one_piece(code, range)) {
    base::thread_context& context = base::require_current("launch");
    piece_arguments arguments;
    for (std::size_t i = 0; i < given.items().size(); ++i)
      arguments.push_back(host_argument_of(given.items()[i], code.parameters[i], context, range.where));
    return run_piece(code, range, arguments, check);
  }
  const auto arguments = given.arguments(base::require_current("launch"), range.where);
  const device::host_arguments on_host(code, {arguments.data(), arguments.size()});  // values are copied already
  const device::launch_range whole = to_range(range);
  if (range.ids.is_empty()) return;
  if (check == device::index_checks::on) check_by_trial(code, range, on_host.all());
  const auto piece = [&](const box& part) {
    device::group_memory& mine = share_of(base::require_current("launch")).groups;
    on_host.run(whole, part.min().at, part.max().at, check, mine);
  };
  if (code.is_whole || over == spread::this_worker || whole.items() <= items_in_one_piece) return piece(range.ids);
  detail::join_and_get(forasync(range.ids, piece, range.where), range.where);
}

void data::place_launch(placed_launch& l, const kernel_code& code, const kernel_range& range,
                        std::span<const detail::launch_item> given, const detail::placing_request& asked,
                        base::thread_context& context) {
  refuse_wrong_range(code, range);
  l.items = local_items(given, l.renamed, context, range.where);
  l.on = device_for(code, range, l.items, asked.on ? asked.on : asked.at, context);
  if (l.on && asked.worker != detail::placing_request().worker)
    throw error("K28", "kernel \"" + std::string(code.name) + "\" is launched on worker " +
                           std::to_string(asked.worker) + ", but its arrays are in the memory of device \"" +
                           l.on->name() + "\"")
        .fact("launched", range.where)
        .because("a kernel runs where its arrays are, and a worker cannot access device memory")
        .remedy("omit on(worker(i)), or copy() the arrays to host memory");
  if (!l.on && !code.run) throw device::without_code(code, "the host").fact("launched", range.where);
}

data::host_launch::host_launch(const kernel_code& code, const kernel_range& range,
                               std::span<const detail::launch_item> items, const detail::placing_request& asked,
                               base::thread_context& context)
    : code(code),
      range(range),
      given(code, items),
      check(state_of(context).settings.check ? device::index_checks::on : device::index_checks::off),
      over(asked.on || asked.worker != detail::placing_request().worker ? spread::this_worker : spread::all_workers) {}

void data::host_launch::run() const {
  for (const detail::launch_item& i : given.items())
    if (i.array.record) wait(detail::ready_event(i.array, range.where), range.where);
  run_on_host(code, range, given, check, over);
}

event detail::launch_kernel(const kernel_code& code, const kernel_range& range, std::span<const launch_item> given,
                            task_request request) {
  base::thread_context& context = base::require_current("launch");
  data::placed_launch l;
  data::place_launch(l, code, range, given, request, context);
  data::note_opened(l.items, context);
  if (l.on) return data::launch_on(*l.on, code, range, l.items, request, context);
  if (request.name.empty()) request.name = code.name;
  // Allocated separately: values point into it, and a body is moved into its task.
  std::unique_ptr<const data::host_launch> what(new data::host_launch(code, range, l.items, request, context));
  return spawn_as(request, [what = std::move(what)] { what->run(); }, range.where);
}

}  // namespace stretto
