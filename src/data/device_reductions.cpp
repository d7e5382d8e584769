#include "data/device_reductions.hpp"

#include <stretto/error.hpp>
#include <stretto/launch.hpp>

#include <array>
#include <optional>
#include <vector>

#include "data/deferred_turn.hpp"
#include "data/device_launch.hpp"
#include "data/fold_kernels.hpp"
#include "data/host_staging_copy.hpp"
#include "data/operation.hpp"
#include "data/order_check.hpp"
#include "data/program_bytes.hpp"
#include "data/request_builders.hpp"
#include "data/through_host.hpp"
#include "device/device_set.hpp"

namespace stretto::data {

using detail::instance_handle;
using detail::instance_request;
using detail::reduction_kind;

namespace {

/// The device that can use both arrays in place; null if there is none.
device::attached_device* device_of(const instance_handle& a, const instance_handle& b,
                                   const data_state& state) noexcept {
  const device::device_set* const devices = state.settings.devices;
  const memory_space *const at = a.record->space, *const other = b.record->space;
  if (!devices || !at || !other) return nullptr;
  device::attached_device* const on = devices->at((is_on_host(at) ? other : at)->where());
  const auto is_used = [&](const memory_space* m) {
    return m->where() == on->memory() || m->where() == on->host_memory();
  };
  return on && is_used(at) && is_used(other) ? on : nullptr;
}

/// The device and kernel that fold one array into the other in place; no device if there is none.
struct fold_place {
  device::attached_device* on = nullptr;
  const kernel_code* code = nullptr;
};
fold_place place_of_fold(const operation_request& r, const data_state& state) noexcept {
  const kernel_code* const code = fold_kernel_of(r.reduction->on_devices);
  if (!code || r.used[1].record->reduction) return {};
  return {device_of(r.used[0], r.used[1], state), code};
}

/// Nothing if the device lacks the operator.
std::optional<event> reduce_on_device(const fold_place& where, const operation_request& r, const preconditions& after,
                                      base::thread_context& context) {
  const std::array items{detail::launch_item{.array = r.used[1]}, detail::launch_item{.array = r.used[0]}};
  detail::task_request request;
  request.after = after.dependencies;
  request.after_events = after.events;
  request.profile = after.profile;
  request.name = r.kind->verb;
  try {
    const event done = launch_on(*where.on, *where.code, {r.first_box, r.where}, items, request, context);
    if (order_check* const checks = state_of(context).checks) checks->untracked(r);
    return done;
  } catch (const error& e) {
    if (e.code() != "K12" && e.code() != "K13") throw;
    return {};
  }
}

/// Calls `reduce(after)`, which reads and writes the elements in several operations, once it is this reduction's turn.
template <class Reduce>
std::optional<event> with_turn(const operation_request& r, const preconditions& after, base::thread_context& context,
                               Reduce&& reduce) {
  deferred_turn& turn = deferred_turn::ask(r.used[0], r.first_box, after, context, r.where);
  const event begun = turn.begun();
  preconditions then = after_range{{&begun, 1}};
  then.profile = after.profile;
  try {
    const std::optional<event> done = reduce(then);
    turn.end_after(done.value_or(begun), context);
    return done;
  } catch (...) {
    turn.end_after(begun, context);
    throw;
  }
}

event fill_with_identity(const instance_handle& array, const reduction_kind& kind, const preconditions& after,
                         const std::source_location& where) {
  std::vector<std::byte> identity(kind.rhs_bytes);
  kind.set_identity(identity.data(), 1);
  return detail::fill_box(array, nullptr, identity.data(), identity.size(), after, where);
}

}  // namespace

instance_handle create_on_device(const instance_request& request, const reduction_kind& kind, reduction_style style,
                                 const std::source_location& where) {
  memory_space& space = *state_of(base::require_current("create")).find(request.memory);
  const auto refused = [&](const char* sentence, const char* because, const char* remedy) {
    return error("D05", sentence).fact("submitted", where).fact("memory", space.name()).because(because).remedy(remedy);
  };
  if (!fold_kernel_of(kind.on_devices))
    throw refused("a reduction in device memory uses an operator that devices do not support",
                  "devices support the operators of the library on numbers of 32 or 64 bits, and those of "
                  "STRETTO_DEVICE_OPERATOR",
                  "create it in host memory, or define the operator by STRETTO_DEVICE_OPERATOR");
  if (style != reduction_style::automatic && style != reduction_style::shared_fold)
    throw refused("a reduction in device memory uses a style that only the host supports",
                  "kernels add their contributions to one array there",
                  "use reduction_style::automatic or shared_fold");
  instance_request array = request;
  array.holds = detail::storage::by_element;
  array.only_at_once = true;
  const instance_handle made = detail::create_instance(array, {}, where);
  if (!made.record) {
    const memory_usage now = space.usage();
    throw error("D16", "memory \"" + space.name() + "\" has no space for the contributions to a reduction")
        .fact("submitted", where)
        .fact("box", request.box.text())
        .fact("needed", std::to_string(request.box.volume() * kind.rhs_bytes) + " bytes")
        .fact("free", std::to_string(now.free) + " bytes")
        .fact("largest", std::to_string(now.largest_block) + " bytes in one block")
        .remedy("destroy instances in that memory first, or create the reduction in host memory");
  }
  // The array is ready for others once it holds identities.
  made.record->ready = fill_with_identity(made, kind, {}, where);
  return made;
}

event clear_on_device(const instance_handle& h, const preconditions& after, const std::source_location& where) {
  return fill_with_identity(device_array_of(h), h.record->reduction->kind, after, where);
}

event get_held(const instance_handle& h, std::vector<std::byte>& bytes, const std::source_location& where) {
  const detail::reduction_record& r = *h.record->reduction;
  if (!is_on_device(h)) {
    bytes = r.to_bytes();
    return {};
  }
  std::byte* const array = r.frame_array(bytes);
  return copy_to_bytes(r.on_device, r.elements, array, where);
}

event reduce_elsewhere(const operation_request& r, const preconditions& after, base::thread_context& context) {
  if (const fold_place where = place_of_fold(r, state_of(context)); where.on) {
    const std::optional<event> done = with_turn(
        r, after, context, [&](const preconditions& then) { return reduce_on_device(where, r, then, context); });
    if (done) return *done;
  }
  // reduce_through_host takes the turn in its last step
  if (is_on_host(r.used[0].record->space)) return reduce_through_host(r, after, context);
  return *with_turn(r, after, context,
                    [&](const preconditions& then) { return std::optional(reduce_through_host(r, then, context)); });
}

event fold_from_device(const instance_handle& from, const instance_handle& to, std::uint32_t contributor,
                       const reduction_kind& kind, const preconditions& after, base::thread_context& context,
                       const std::source_location& where) {
  const instance_handle& array = device_array_of(from);
  const box& all = array.record->shape.box;
  host_staging_copy staged(array, all, state_of(context), where);
  preconditions first = after;
  first.profile = nullptr;
  const event there = staged.until(detail::copy_boxes(staged.handle(), array, {&all, 1}, {}, first, where));
  preconditions then = after_range{{&there, 1}};
  then.profile = after.profile;
  return staged.until(submit(fold_array_request(staged.handle(), to, contributor, kind, where), then, context));
}

}  // namespace stretto::data
