#include "data/instances.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <new>

#include "base/snapshot_read.hpp"
#include "data/handle.hpp"
#include "data/instance_refusals.hpp"
#include "data/layout.hpp"
#include "data/operation_waits.hpp"
#include "data/order_check.hpp"
#include "data/other_nodes.hpp"
#include "data/reduction_record.hpp"

namespace stretto {

using data::share_of;
using data::state_of;

namespace {

std::uint64_t bytes_of(const data::layout& shape) noexcept {
  const auto span = data::span_of(shape);
  return static_cast<std::uint64_t>(span.to - span.from);
}

std::uint64_t fresh_key(data::data_state& state, data::thread_data& share) noexcept {
  constexpr std::uint64_t range = 1 << 20;
  if (share.next_key == share.end_of_keys) {
    share.next_key = state.key_ranges.fetch_add(1, std::memory_order_relaxed) * range;
    share.end_of_keys = share.next_key + range;
  }
  return (std::uint64_t{state.runtime.node} << 48) | (share.next_key++ & (data::named_by_others - 1));
}

data::layout layout_of(const detail::instance_request& r, const std::source_location& where) {
  for (int a = r.dimensions; a < max_axes; ++a)
    if (r.box.length(a) > 1 || r.box.min()[a] != 0) data::refuse_axes(r, where);
  data::require_addressable("an instance", r.name, r.box, r.element_bytes, where);
  data::layout shape = data::dense_layout(r.box, r.dimensions, r.element_bytes, r.order);
  if (!r.strides.empty()) {
    if (r.strides.size() != r.dimensions) data::refuse_strides(r, where);
    if (data::is_beyond_addressing(r.box, r.element_bytes, r.strides))
      data::refuse_size("an instance", r.name, r.box, r.element_bytes, where);
    for (std::size_t a = 0; a < r.dimensions; ++a)
      shape.stride[a] = r.strides[a] * static_cast<std::int64_t>(r.element_bytes);
    if (!data::is_injective(shape)) data::refuse_strides(r, where);
  }
  const std::uintptr_t first = r.native ? reinterpret_cast<std::uintptr_t>(r.native->data) + r.native->offset_bytes
                                        : reinterpret_cast<std::uintptr_t>(r.external);
  if (const std::uintptr_t behind = first % r.alignment) data::refuse_address(r, behind, where);
  return shape;
}

/// Null: host memory that the program owns.
data::memory_space* space_of(const detail::instance_request& r, const data::data_state& state,
                             const std::source_location& where) {
  if (r.external) return nullptr;
  data::memory_space* const space = state.find(r.memory);
  if (!space) data::refuse_memory(r, state, where);
  if (!r.native) return space;
  if (data::is_on_host(space) && !r.native->buffer) return nullptr;
  if (!space->of()) data::refuse_memory(r, state, where);
  return space;
}

/// The first element in memory of the program: an address of the host, or the alias of the driver's memory of that
/// device.
std::byte* first_of(const detail::instance_request& r, const data::layout& shape, data::memory_space* space,
                    const std::source_location& where) {
  if (!r.native) return r.external;
  const data::byte_span span = data::span_of(shape);
  const auto bytes = static_cast<std::uint64_t>(span.to - span.from);
  native_memory from = *r.native;
  if (!space) return static_cast<std::byte*>(from.data) + from.offset_bytes;
  if (!bytes) return space->of()->memory();
  from.offset_bytes = static_cast<std::size_t>(static_cast<std::int64_t>(from.offset_bytes) + span.from);
  try {
    return space->borrow(from, bytes) - span.from;
  } catch (const error& e) {
    throw error(e).fact("submitted", where);
  }
}

/// Gives the record a number, a name and a key.
[[gnu::always_inline]] inline detail::instance_handle make_known(detail::instance_record& r, std::string_view name,
                                                                 data::data_state& state,
                                                                 data::thread_data& share) noexcept {
  r.number = state.numbers.fetch_add(1, std::memory_order_relaxed);
  const std::size_t n = std::min(name.size(), r.name.size() - 1);
  std::copy_n(name.data(), n, r.name.data());
  r.name[n] = '\0';
  const detail::instance_handle handle{&r, fresh_key(state, share)};
  r.live.store(handle.key, std::memory_order_relaxed);
  r.key.store(handle.key, std::memory_order_release);
  return handle;
}

void settle(detail::instance_record& r, data::block& held) noexcept {
  r.held = &held;
  r.first = r.space->address_of(held) - data::span_of(r.shape).from;
}

/// Destroys an instance; the preconditions have ended.
void take_effect(detail::instance_record& r, data::destruction* announced, base::thread_context& context) noexcept {
  const std::uint64_t key = r.live.exchange(0, std::memory_order_acq_rel);
  if (r.destruction_order)
    if (auto unordered = data::state_of(context).checks->check_destruction(r.destruction_order, {&r, key}))
      detail::report(detail::make_failure(std::make_exception_ptr(*std::move(unordered)),
                                          "destruction of " + detail::describe(r), r.destroyed),
                     context);
  if (r.reduction) {  // first: a waiting creation may need what it frees
    r.reduction->clear(context);
    if (r.reduction->on_device.record) detail::destroy_instance(r.reduction->on_device, {}, r.destroyed);
    r.reduction = nullptr;
    data::data_state& state = state_of(context);
    std::scoped_lock lock(state.mutex);
    state.reductions.erase(&r);
  }
  if (r.space && r.space->kind() == place_kind::global_memory)
    if (data::other_nodes* const others = state_of(context).others) others->gone({&r, key});
  data::creation* resolved = nullptr;
  if (r.space && (r.held || announced)) resolved = r.space->destroy(std::exchange(r.held, nullptr), announced);
  if (r.is_borrowed && !r.shape.box.is_empty()) r.space->give_back(r.first + data::span_of(r.shape).from);
  r.first = nullptr;
  r.updates.dissolve(context);
  share_of(context).records.free(&r);
  if (resolved) data::notify_resolved(resolved, context);
}

}  // namespace

namespace data {

using detail::instance_handle;
using detail::instance_record;

std::optional<global_instance> global_instance_of(const instance_handle& h, base::thread_context& context) {
  const instance_record& r = *h.record;
  if (!r.space || r.space->kind() != place_kind::global_memory || r.key.load(std::memory_order_acquire) != h.key)
    return {};
  if (r.ready.raw() != 0 && (!detail::has_ended(r.ready, context) || detail::cause_of(r.ready, context))) return {};
  return global_instance{r.shape, r.dimensions, r.first, r.name.data()};
}

instance_handle make_stand_in(const global_instance& of, base::thread_context& context) {
  const auto space = std::ranges::find_if(state_of(context).memories,
                                          [](const auto& m) { return m->kind() == place_kind::global_memory; });
  return make_stand_in({of.shape, of.dimensions, space->get(), of.first, of.name}, context);
}

instance_handle make_stand_in(const elements_of_another& of, base::thread_context& context) {
  data_state& state = state_of(context);
  thread_data& share = share_of(context);
  auto& r = *::new (share.records.allocate()) instance_record;
  r.shape = of.shape;
  r.dimensions = of.dimensions;
  r.space = of.in;
  r.first = of.first;
  return make_known(r, of.name, state, share);
}

void end_stand_in(const instance_handle& h, base::thread_context& context) noexcept {
  h.record->key.store(0, std::memory_order_release);
  h.record->live.store(0, std::memory_order_release);
  h.record->first = nullptr;
  share_of(context).records.free(h.record);
}

namespace {

std::string creation_of(const detail::instance_record& r) { return "creation of " + detail::describe(r); }

/// Runs the destruction, whether its preconditions have failed or not.
void destroy_now(detail::instance_record& r, destruction* announced, std::unique_ptr<sched::profile_state> profile,
                 base::thread_context& context) noexcept {
  if (!profile) return take_effect(r, announced, context);
  std::string what = "destruction of " + detail::describe(r);
  profile->mark_ready();
  profile->mark_started(context);
  take_effect(r, announced, context);
  profile->deliver(nullptr, std::move(what), context);
}

void end_creation(deferred_creation& c, failure_ref cause, base::thread_context& context) noexcept {
  detail::instance_record& r = *c.record;
  if (c.is == creation::outcome::granted) {
    settle(r, *c.held);
    if (data::state_of(context).checks) order_check::poison(r);
  }
  if (c.profile) {
    c.profile->moved(c.bytes, 0, 1);
    c.profile->deliver(cause.get(), creation_of(r), context);
  }
  const event ready = r.ready;
  const std::source_location where = r.created;
  c.~deferred_creation();
  share_of(context).operations.free(&c);
  if (cause) detail::report(cause, context);
  detail::end_event(ready, std::move(cause), context, where);
}

void start_creation(deferred& self, failure_ref cause, base::thread_context& context) noexcept {
  auto& c = static_cast<deferred_creation&>(self);
  detail::instance_record& r = *c.record;
  if (c.profile) c.profile->mark_ready();
  if (cause) {
    c.is = creation::outcome::refused;
    return end_creation(c, failure_ref::adopt(new failure(*cause.get(), creation_of(r), r.created)), context);
  }
  if (c.profile) c.profile->mark_started(context);
  switch (r.space->create(c)) {
    case creation::outcome::waiting: return;
    case creation::outcome::granted: return end_creation(c, {}, context);
    case creation::outcome::refused: return end_creation(c, creation_refused(r, c), context);
  }
}

void start_destruction(deferred& self, failure_ref, base::thread_context& context) noexcept {
  auto& d = static_cast<deferred_destruction&>(self);
  const event done = d.done;
  const std::source_location where = d.record->destroyed;
  destroy_now(*d.record, d.record->space && !d.record->is_borrowed ? &d : nullptr, std::move(d.profile), context);
  d.~deferred_destruction();
  share_of(context).operations.free(&d);
  detail::end_event(done, {}, context, where);
}

}  // namespace

std::optional<deferred_report> report_creation(const deferred& d, const deferred* at) {
  const bool is_creation = d.starts_with(start_creation);
  if (!is_creation && !d.starts_with(start_destruction)) return std::nullopt;
  if (is_creation) {
    const base::snapshot_copy<deferred_creation> c(static_cast<const deferred_creation*>(at));
    const base::snapshot_copy<detail::instance_record> r(c ? c->record : nullptr);
    if (!r) return std::nullopt;
    return deferred_report{r->ready, "creation of " + peek_name(c->record),
                           base::snapshot_location(&c->record->created)};
  }
  const base::snapshot_copy<deferred_destruction> gone(static_cast<const deferred_destruction*>(at));
  const base::snapshot_copy<detail::instance_record> r(gone ? gone->record : nullptr);  // stale if its block was reused
  if (!r) return std::nullopt;
  return deferred_report{gone->done, "destruction of " + peek_name(gone->record),
                         base::snapshot_location(&gone->record->destroyed)};
}

deferred_creation::deferred_creation(detail::instance_record& r) : deferred(start_creation), record(&r) {
  instance = &r;
  on_resolved = [](creation& self, base::thread_context& context) noexcept {
    auto& c = static_cast<deferred_creation&>(self);
    end_creation(c, c.is == outcome::granted ? failure_ref{} : creation_refused(*c.record, c), context);
  };
}
deferred_destruction::deferred_destruction(detail::instance_record& r) : deferred(start_destruction), record(&r) {
  instance = &r;
}

}  // namespace data

namespace detail {

instance_handle create_instance(const instance_request& request, const preconditions& after,
                                const std::source_location& where) {
  return data::create_where(request, {}, after, where);
}

}  // namespace detail

namespace data {

using namespace detail;

instance_handle create_where(const instance_request& request, const placement_hint& at, const preconditions& after,
                             const std::source_location& where) {
  base::thread_context& context = base::require_current("create");
  data::data_state& state = state_of(context);
  const layout shape = stretto::layout_of(request, where);
  memory_space* const space = stretto::space_of(request, state, where);
  std::byte* const external = first_of(request, shape, space, where);
  data::thread_data& share = share_of(context);
  auto profile = after.profile ? std::make_unique<sched::profile_state>(where) : nullptr;
  auto& r = *::new (share.records.allocate()) instance_record;
  r.shape = shape;
  r.dimensions = request.dimensions;
  r.space = space;
  r.created = where;
  r.is_borrowed = space && request.native;
  const instance_handle handle = make_known(r, request.name, state, share);
  if (profile) profile->promise_to(*after.profile);
  if (!space || r.is_borrowed || request.holds == detail::storage::by_contributors) {
    r.first = external;
    if (profile) {
      profile->mark_started(context);
      profile->deliver(nullptr, data::creation_of(r), context);
    }
    return handle;
  }

  const std::uint64_t bytes = stretto::bytes_of(shape);
  const bool at_once = after.dependencies.empty() && after.events.empty();
  data::precondition_state precondition_state;
  if (!at_once) precondition_state = data::state_of_preconditions(after, {}, context);
  if (profile && !precondition_state.pending && !precondition_state.cause) {
    profile->mark_ready();
    profile->mark_started(context);
  }
  if (!precondition_state.pending && !precondition_state.cause)
    if (data::block* held = space->try_create(bytes, at)) {
      settle(r, *held);
      if (state.checks) data::order_check::poison(r);
      if (profile) {
        profile->moved(bytes, 0, 1);
        profile->deliver(nullptr, data::creation_of(r), context);
      }
      return handle;
    }
  if (request.only_at_once) {
    r.live.store(0, std::memory_order_relaxed);
    r.key.store(0, std::memory_order_relaxed);
    share.records.free(&r);
    return {};
  }
  auto* c = ::new (share.operations.allocate()) data::deferred_creation(r);
  c->bytes = bytes;
  c->at = at;
  c->profile = std::move(profile);
  c->ticket = space->ticket();
  r.ready = make_event(context, where);
  if (state.checks) state.checks->submitted(after, {}, r.ready, context);
  c->arm(after, {}, context);
  return handle;
}

}  // namespace data

namespace detail {

event destroy_instance(const instance_handle& h, const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("destroy");
  if (!data::is_local(h, context)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::destroy, .used = {h}}, after, context, where);
  instance_record& r = data::usable(h, "destroy", context, where);
  const event ready = r.ready;
  const std::span<const event> also(&ready, ready.raw() != 0);
  const bool at_once = after.dependencies.empty() && after.events.empty() && also.empty();
  const bool pending = !at_once && data::state_of_preconditions(after, also, context).pending;
  auto profile = after.profile ? std::make_unique<sched::profile_state>(where) : nullptr;
  data::deferred_destruction* d = nullptr;
  if (pending) d = ::new (share_of(context).operations.allocate()) data::deferred_destruction(r);
  std::uint64_t key = h.key;
  if (!r.key.compare_exchange_strong(key, 0, std::memory_order_acq_rel)) {
    if (d) {
      d->~deferred_destruction();
      share_of(context).operations.free(d);
    }
    data::refuse_destroyed(h, "destroy", where);
  }
  r.destroyed = where;
  data::order_check* const checks = data::state_of(context).checks;
  r.destruction_order = checks ? checks->submitted(after, {&h, 1}, {}, context) : 0;
  if (profile) profile->promise_to(*after.profile);
  if (!pending) {
    data::destroy_now(r, nullptr, std::move(profile), context);
    return {};
  }
  d->profile = std::move(profile);
  if (r.space && !r.is_borrowed) {
    const bool already_there = ready.raw() == 0 || has_ended(ready, context);
    d->ticket = r.space->ticket();
    d->bytes = r.space->taken_by(bytes_of(r.shape));
    r.space->announce(*d, already_there ? r.held : nullptr);
  }
  const event done = d->done = make_event(context, where);
  if (checks) checks->ends_with(r.destruction_order, done);
  d->arm(after, also, context);
  return done;
}

}  // namespace detail

}  // namespace stretto
