#include "data/through_host.hpp"

#include <stretto/copy.hpp>
#include <stretto/reduce.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "data/box_pieces.hpp"
#include "data/host_staging_copy.hpp"
#include "event/event_floor.hpp"

namespace stretto::data {

using detail::instance_handle;

namespace {

preconditions without_profile(const preconditions& after) noexcept {
  preconditions p = after;
  p.profile = nullptr;
  return p;
}
/// A profile that was requested is that of the last operation.
preconditions with_profile_of(const preconditions& after, const event& e) noexcept {
  preconditions p = after_range{{&e, 1}};
  p.profile = after.profile;
  return p;
}

}  // namespace

event fill_through_host(const operation_request& r, const preconditions& after, base::thread_context& context) {
  const data_state& state = state_of(context);
  const instance_handle& to = r.used[0];
  const std::uint32_t element = to.record->shape.element_bytes;
  const auto pieces = pieces_of(r.first_box, std::max<std::uint64_t>(1, state.settings.staging_bytes / element));
  extent longest;
  for (const box& b : pieces)
    for (int a = 0; a < max_axes; ++a) longest[a] = std::max(longest[a], b.length(a));
  host_staging_copy filled(to, box(longest), state, r.where);
  const event ready = filled.until(
      detail::fill_box(filled.handle(), nullptr, r.fill_value(), element, without_profile(after), r.where));
  std::vector<dependency> copied{ready};
  for (const box& b : pieces) {
    const point shift = point() - b.min();
    copied.emplace_back(
        detail::copy_boxes(to, filled.handle(), {&b, 1}, shift,
                           pieces.size() == 1 ? with_profile_of(after, ready) : after_range{{&ready, 1}}, r.where));
  }
  return filled.until(merge_dependencies(copied, r.where));
}

event reduce_through_host(const operation_request& r, const preconditions& after, base::thread_context& context) {
  const data_state& state = state_of(context);
  const instance_handle &to = r.used[0], &from = r.used[1];
  const bool writes = !is_on_host(to.record->space);
  std::optional<host_staging_copy> target, source;
  std::vector<dependency> got;
  const auto get = [&](std::optional<host_staging_copy>& into, const instance_handle& h) {
    into.emplace(h, r.first_box, state, r.where);
    got.emplace_back(
        into->until(detail::copy_boxes(into->handle(), h, {&r.first_box, 1}, {}, without_profile(after), r.where)));
  };
  if (writes) get(target, to);
  if (!is_on_host(from.record->space)) get(source, from);
  const event ready = merge_dependencies(got, r.where);
  const preconditions then = writes ? preconditions(after_range{{&ready, 1}}) : with_profile_of(after, ready);
  const instance_handle& left = writes ? target->handle() : to;
  const instance_handle& right = source ? source->handle() : from;
  event done = from.record->reduction ? detail::reduce_held(right, left, *r.reduction, then, r.where)
                                      : detail::reduce_values(right, left, &r.first_box, *r.reduction, then, r.where);
  if (source) source->until(done);
  if (writes)
    done = target->until(
        detail::copy_boxes(to, target->handle(), {&r.first_box, 1}, {}, with_profile_of(after, done), r.where));
  return done;
}

}  // namespace stretto::data
