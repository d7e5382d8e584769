// reduce_operations.cpp - the calls behind reduce.hpp: errors known at once are thrown, the rest is submitted.
#include <stretto/reduce.hpp>

#include <stretto/error.hpp>

#include <array>
#include <atomic>

#include "base/config.hpp"
#include "base/sanitizers.hpp"
#include "data/device_reductions.hpp"
#include "data/layout.hpp"
#include "data/other_nodes.hpp"
#include "data/reduction_record.hpp"
#include "data/request_builders.hpp"
#include "device/device_set.hpp"

namespace stretto {

using data::operation_kind;
using data::operation_request;
using detail::instance_handle;
using detail::instance_record;
using detail::reduction_record;

namespace {

reduction_record& held_by(const instance_handle& h) noexcept { return *h.record->reduction; }

// used[0] has left-hand sides; used[1] is combined into them.
void run_reduce_held(const operation_request& r, unsigned part, unsigned parts) {
  held_by(r.used[1]).apply_to(data::operand_of(r.used[0]), part, parts);
}

void run_reduce_values(const operation_request& r, unsigned part, unsigned parts) {
  const auto walk = data::part_of(
      data::plan(r.first_box, std::array{data::operand_of(r.used[0]), data::operand_of(r.used[1])}), part, parts);
  data::for_each_run(walk, [&](const auto& at, std::uint64_t count, const auto& step) {
    r.reduction->apply(at[0], step[0], at[1], step[1], count);
  });
}

void contributor_in_use(const instance_record& r, std::uint32_t number, const std::source_location& where) {
  throw error("D17",
              "contributor " + std::to_string(number) + " of " + detail::describe(r) + " is held by another task")
      .fact("submitted", where)
      .remedy("give each task a number of its own, or order the tasks by events");
}

/// Calls fold(to, c, context) with the request's contributor open.
template <class Fold>
void fold_alone(const operation_request& r, Fold&& fold) {
  base::thread_context& context = base::require_current("fold_into");
  reduction_record& to = held_by(r.used[0]);
  const std::uint32_t number = r.contributor;
  detail::open_contribution c;
  if (!to.open(number, c, context, true)) contributor_in_use(*r.used[0].record, number, r.where);
  struct closed {
    reduction_record& to;
    detail::open_contribution& c;
    ~closed() { to.close(c); }
  } at_end{to, c};
  fold(to, c, context);
}

void run_fold_held(const operation_request& r, unsigned, unsigned) {
  fold_alone(r, [&](auto& to, auto& c, auto& context) { held_by(r.used[1]).fold_to(to, c, context); });
}

void run_fold_array(const operation_request& r, unsigned, unsigned) {
  const instance_record& array = *r.used[1].record;
  fold_alone(r, [&](auto& to, auto& c, auto& context) {
    to.fold_array(c, array.first + data::span_of(array.shape).from, context);
  });
}

void run_clear(const operation_request& r, unsigned, unsigned) {
  held_by(r.used[0]).clear(base::require_current("clear"));
}

constexpr operation_kind reduce_held_kind{
    .verb = "reduce", .shown = trace::kind::reduce, .run = run_reduce_held, .updates = true};
constexpr operation_kind reduce_values_kind{
    .verb = "reduce", .shown = trace::kind::reduce, .run = run_reduce_values, .updates = true};
constexpr operation_kind fold_kind{"fold_into", trace::kind::reduce, run_fold_held, operation_kind::cut::forbidden};
constexpr operation_kind fold_array_kind{"fold_into", trace::kind::reduce, run_fold_array,
                                         operation_kind::cut::forbidden};
constexpr operation_kind clear_kind{"clear", trace::kind::fill, run_clear, operation_kind::cut::forbidden};

void number_needed(const instance_record& r, const std::source_location& where) {
  throw error("D17", detail::describe(r) + " requires a contributor number")
      .fact("submitted", where)
      .because("its operator does not commute, so the order of contributors matters")
      .remedy("pass the position of this contributor in the order as its number");
}

operation_request request(const operation_kind& kind, const instance_handle& to, const instance_handle& from,
                          const std::source_location& where) {
  operation_request r;
  r.kind = &kind;
  r.used = {to, from};
  r.used_count = from.record ? 2 : 1;
  r.where = where;
  return r;
}

}  // namespace

namespace data {

operation_request reduce_held_request(const instance_handle& from, const instance_handle& to,
                                      const detail::reduction_kind& kind, base::thread_context& context,
                                      const std::source_location& where) {
  const instance_record& target = data::usable(to, "reduce", context, where);
  const instance_record& source = data::usable(from, "reduce", context, where);
  require_inside("reduce", source.shape.box, target, where);
  operation_request r = request(reduce_held_kind, to, from, where);
  r.first_box = source.shape.box;
  r.reduction = &kind;
  // The contributions at that time are not known now; a dense array is the estimate.
  r.bytes = std::max(2 * source.reduction->held_bytes(), source.shape.box.volume() * kind.rhs_bytes);
  return r;
}

operation_request reduce_values_request(const instance_handle& from, const instance_handle& to, const box* part,
                                        const detail::reduction_kind& kind, base::thread_context& context,
                                        const std::source_location& where) {
  const instance_record& target = data::usable(to, "reduce", context, where);
  const instance_record& source = data::usable(from, "reduce", context, where);
  const box all = part ? *part : source.shape.box;
  require_inside("reduce", all, target, where);
  require_inside("reduce", part ? *part : target.shape.box, source, where);
  operation_request r = request(reduce_values_kind, to, from, where);
  r.first_box = all;
  r.bytes = all.volume() * (kind.lhs_bytes + kind.rhs_bytes);
  r.reduction = &kind;
  return r;
}

operation_request fold_request(const instance_handle& from, const instance_handle& to, std::uint32_t contributor,
                               const detail::reduction_kind& kind, base::thread_context& context,
                               const std::source_location& where) {
  const instance_record& target = data::usable(to, "fold_into", context, where);
  const instance_record& source = data::usable(from, "fold_into", context, where);
  if (contributor == detail::any_contributor && !kind.is_commutative) number_needed(target, where);
  if (target.shape.box != source.shape.box)
    throw error("D06", "fold_into of reductions whose boxes differ")
        .fact("submitted", where)
        .fact("from", detail::describe(source) + ", " + source.shape.box.text())
        .fact("to", detail::describe(target) + ", " + target.shape.box.text());
  if (&target == &source)
    throw error("D11", "fold_into reads and writes the same reduction, " + detail::describe(target))
        .fact("submitted", where);
  operation_request r = request(fold_kind, to, from, where);
  r.first_box = source.shape.box;
  r.contributor = contributor;
  r.bytes = std::max(2 * source.reduction->held_bytes(), source.shape.box.volume() * kind.rhs_bytes);
  r.reduction = &kind;
  return r;
}

operation_request fold_array_request(const instance_handle& array, const instance_handle& to, std::uint32_t contributor,
                                     const detail::reduction_kind& kind, const std::source_location& where) {
  operation_request r = request(fold_array_kind, to, array, where);
  r.first_box = array.record->shape.box;
  r.contributor = contributor;
  r.bytes = 2 * r.first_box.volume() * kind.rhs_bytes;
  r.reduction = &kind;
  return r;
}

operation_request clear_request(const instance_handle& h, base::thread_context& context,
                                const std::source_location& where) {
  data::usable(h, "clear", context, where);
  return request(clear_kind, h, {}, where);
}

}  // namespace data

namespace detail {

instance_handle create_reduction(place memory, const box& elements, std::uint8_t dimensions, const reduction_kind& kind,
                                 const reduction_options& options, const std::source_location& where) {
  base::thread_context& context = base::require_current("create");
  if (options.style == reduction_style::shared_fold && !kind.is_commutative)
    throw error("D05", "a shared fold requires a commutative operator")
        .fact("submitted", where)
        .because("contributions to a shared array are combined in the order in which they happen to arrive")
        .remedy("use reduction_style::fold, list or automatic");
  const data::memory_space* space = data::state_of(context).find(memory);
  data::data_state& state = data::state_of(context);
  const bool is_for_device = !data::is_on_host(space);
  if (is_for_device && !(state.settings.devices && state.settings.devices->at(memory)))
    throw error("D15", "a reduction cannot be created in a memory that neither the host nor an open device uses")
        .fact("submitted", where)
        .fact("memory", space->name())
        .remedy("create it in host memory or in the memory of an open device");
  // The record of an instance without memory of its own.
  const instance_request asked{.memory = memory,
                               .box = elements,
                               .dimensions = dimensions,
                               .element_bytes = kind.rhs_bytes,
                               .holds = storage::by_contributors,
                               .name = options.name};
  const instance_handle on_device =
      is_for_device ? data::create_on_device(asked, kind, options.style, where) : instance_handle();
  const instance_handle h = create_instance(asked, {}, where);
  auto record = std::make_unique<reduction_record>(*h.record->space, elements, kind, options.style);
  if (on_device.record) {
    record->on_device = on_device;
    h.record->ready = on_device.record->ready;  // for its destruction
  }
  h.record->reduction = record.get();
  std::scoped_lock lock(state.mutex);
  state.reductions[h.record] = std::move(record);
  return h;
}

open_contribution open(const instance_handle& h, std::uint32_t number, const std::source_location& where) {
  base::thread_context& context = base::require_current("contribute");
  const instance_record& r = data::usable(h, "contribute", context, where);
  if (data::is_on_device(h))
    throw error("D15", detail::describe(r) + " is in device memory, where only kernels contribute")
        .fact("submitted", where)
        .fact("memory", r.space->name())
        .remedy(
            "launch a kernel with a parameter reduce<...>, or let this task contribute to a reduction in host memory "
            "and fold_into that one");
  if (number == any_contributor && !r.reduction->kind.is_commutative) number_needed(r, where);
  open_contribution c;
  if (!r.reduction->open(number, c, context)) contributor_in_use(r, number, where);
  return c;
}

void refill(const instance_handle& h, open_contribution& c) {
  held_by(h).refill(c, base::require_current("contribute"));
}

void close(const instance_handle& h, open_contribution& c) noexcept { held_by(h).close(c); }

namespace {
// Elements share locks by address: there are enough locks that two contributors rarely collide.
std::array<std::atomic_flag, 256> element_locks;
std::atomic_flag& lock_of(const void* address) noexcept {
  return element_locks[(reinterpret_cast<std::uintptr_t>(address) >> 4) % element_locks.size()];
}
}  // namespace

void lock_element(const void* address) noexcept {
  while (lock_of(address).test_and_set(std::memory_order_acquire)) base::relax();
  base::announce_acquire(&lock_of(address));
}
void unlock_element(const void* address) noexcept {
  base::announce_release(&lock_of(address));
  lock_of(address).clear(std::memory_order_release);
}

event reduce_held(const instance_handle& from, const instance_handle& to, const reduction_kind& kind,
                  const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("reduce");
  if (!data::are_local(context, from, to)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::reduce_held,
                      .used = {to, from},
                      .used_count = 2,
                      .kind = &kind},
                     after, context, where);
  operation_request r = data::reduce_held_request(from, to, kind, context, where);
  if (data::is_on_device(from)) [[unlikely]]
    return reduce_values(data::device_array_of(from), to, &r.first_box, kind, after, where);
  if (!data::is_on_host(to.record->space)) [[unlikely]]
    return data::reduce_elsewhere(r, after, context);
  return data::submit(std::move(r), after, context);
}

event reduce_values(const instance_handle& from, const instance_handle& to, const box* part, const reduction_kind& kind,
                    const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("reduce");
  if (!data::are_local(context, from, to)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::reduce_values,
                      .used = {to, from},
                      .used_count = 2,
                      .is_whole = !part,
                      .boxes = {part, part ? std::size_t{1} : 0},
                      .kind = &kind},
                     after, context, where);
  operation_request r = data::reduce_values_request(from, to, part, kind, context, where);
  if (!data::is_on_host(to.record->space) || !data::is_on_host(from.record->space)) [[unlikely]]
    return data::reduce_elsewhere(r, after, context);
  return data::submit(std::move(r), after, context);
}

event fold_held(const instance_handle& from, const instance_handle& to, std::uint32_t contributor,
                const reduction_kind& kind, const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("fold_into");
  if (!data::are_local(context, from, to)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::fold,
                      .used = {to, from},
                      .used_count = 2,
                      .kind = &kind,
                      .contributor = contributor},
                     after, context, where);
  operation_request r = data::fold_request(from, to, contributor, kind, context, where);
  const bool to_device = data::is_on_device(to);
  if (data::is_on_device(from)) [[unlikely]]
    return to_device
               ? reduce_values(data::device_array_of(from), data::device_array_of(to), nullptr, kind, after, where)
               : data::fold_from_device(from, to, contributor, kind, after, context, where);
  if (to_device) [[unlikely]]
    return reduce_held(from, data::device_array_of(to), kind, after, where);
  return data::submit(std::move(r), after, context);
}

event clear_held(const instance_handle& h, const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("clear");
  if (!data::is_local(h, context)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::clear, .used = {h}}, after, context, where);
  operation_request r = data::clear_request(h, context, where);
  if (data::is_on_device(h)) [[unlikely]]
    return data::clear_on_device(h, after, where);
  return data::submit(std::move(r), after, context);
}

}  // namespace detail
}  // namespace stretto
