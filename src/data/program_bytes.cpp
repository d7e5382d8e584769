#include "data/program_bytes.hpp"

#include <stretto/copy.hpp>
#include <stretto/reduce.hpp>

#include "data/data_state.hpp"
#include "data/layout.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"

namespace stretto::data {

using detail::instance_handle;

namespace {

/// The bytes as an instance, for one operation.
class external_view {
 public:
  external_view(std::byte* bytes, const box& part, const detail::instance_record& like, std::uint32_t element_bytes,
                const std::source_location& where)
      : where_(where),
        handle_(detail::create_instance({.memory = {},
                                         .external = bytes,
                                         .box = part,
                                         .dimensions = like.dimensions,
                                         .element_bytes = element_bytes,
                                         .name = like.name.data()},
                                        {}, where)) {
    // The order was established on another node.
    ordered_ = ordered_unseen(base::require_current("copy"), where);
  }
  preconditions after() const noexcept { return after_range{{&ordered_, 1}}; }
  const instance_handle& handle() const noexcept { return handle_; }
  event until(event done) const {
    detail::destroy_instance(handle_, after_range{{&done, 1}}, where_);
    return done;
  }

 private:
  const std::source_location where_;
  const instance_handle handle_;
  event ordered_;
};

}  // namespace

event ordered_unseen(base::thread_context& context, const std::source_location& where) {
  if (!state_of(context).checks) return {};
  const event e = detail::make_event(context, where);
  detail::end_event(e, {}, context, where);
  return e;
}

event copy_to_bytes(const instance_handle& from, const box& part, std::byte* bytes, const std::source_location& where) {
  const external_view to(bytes, part, *from.record, from.record->shape.element_bytes, where);
  return to.until(detail::copy_boxes(to.handle(), from, {&part, 1}, {}, to.after(), where));
}

event copy_from_bytes(std::byte* bytes, const instance_handle& to, const box& part, const std::source_location& where) {
  const external_view from(bytes, part, *to.record, to.record->shape.element_bytes, where);
  return from.until(detail::copy_boxes(to, from.handle(), {&part, 1}, {}, from.after(), where));
}

event reduce_from_bytes(std::byte* bytes, const instance_handle& to, const box& part,
                        const detail::reduction_kind& kind, const std::source_location& where) {
  const external_view from(bytes, part, *to.record, kind.rhs_bytes, where);
  return from.until(detail::reduce_values(from.handle(), to, &part, kind, from.after(), where));
}

std::byte* dense_bytes(const instance_handle& h, const box& part, base::thread_context& context) noexcept {
  const message_bytes all = bytes_for_messages(h, part, context);
  return all.on_device ? nullptr : all.first;
}

bool is_for_messages(const detail::instance_record& r, base::thread_context& context) noexcept {
  const data_state& state = state_of(context);
  if (state.checks || is_on_host(r.space)) return !state.checks;
  const device::device* const d = r.space->of();
  if (!d || d->is_lost() || !state.others || !state.settings.device_messages) return false;
  return d->about().supports_direct_messages || d->about().is_host_accessible ||
         state.others->takes_memory_of(d->about().backend);
}

message_bytes bytes_for_messages(const instance_handle& h, const box& part, base::thread_context& context) noexcept {
  const detail::instance_record& r = *h.record;
  if (!is_for_messages(r, context) || !is_dense(r.shape, part)) return {};
  std::byte* const at = r.first + r.shape.offset_of(part.min());
  if (is_on_host(r.space)) return {at, false};
  const device::device& d = *r.space->of();
  return {d.transport_address(at), !d.about().is_host_accessible};
}

}  // namespace stretto::data
