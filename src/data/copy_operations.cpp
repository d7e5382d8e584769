// copy_operations.cpp - the calls behind copy.hpp: errors known at once are thrown, the rest is submitted.
#include <stretto/copy.hpp>

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>

#include "data/operation_trace.hpp"
#include "data/other_nodes.hpp"
#include "data/request_builders.hpp"
#include "data/through_host.hpp"

namespace stretto {

using data::operation_kind;
using data::operation_request;
using detail::instance_handle;
using detail::instance_record;

namespace {

/// Calls body(part of the walk) for each box of the request that belongs to this part.
template <std::size_t N, class Body>
void for_each_walk(const operation_request& r, const std::array<data::reach, N>& operands, unsigned part,
                   unsigned parts, Body&& body) {
  for (std::size_t i = 0; i < r.box_count; ++i) {
    auto walk = data::plan(r.box_at(i), operands);
    body(parts > 1 ? data::part_of(walk, part, parts) : walk);
  }
}

void run_copy(const operation_request& r, unsigned part, unsigned parts) {
  const std::array operands{data::reach_of(r.used[0]), data::reach_of(r.used[1], r.shift)};
  for_each_walk(r, operands, part, parts, data::copy_elements);
}

void run_fill(const operation_request& r, unsigned part, unsigned parts) {
  const std::byte* value = r.fill_value();
  for_each_walk(r, std::array{data::reach_of(r.used[0])}, part, parts,
                [&](const data::loop_nest<1>& walk) { data::fill_elements(walk, value); });
}

void throw_index_error(const data::bad_index& bad, const instance_record& table, const operation_request& r) {
  const unsigned axes = r.indices <= detail::index_kind::point1 ? 1 : r.indices == detail::index_kind::point2 ? 2 : 3;
  std::string text;
  for (unsigned a = 0; a < axes; ++a) text += (a ? ", " : "") + std::to_string(bad.index[static_cast<int>(a)]);
  throw error("D07", std::string(r.kind->verb) + " found an index outside of " + detail::describe(table))
      .fact("submitted", r.where)
      .fact("index", text)
      .fact("box", table.shape.box.text());
}

// used: gather writes 0 (dense), reads 1 (table), 2 (indices); scatter writes 0 (table), reads 1 (dense), 2.
void run_gather(const operation_request& r, unsigned part, unsigned parts) {
  const auto table = data::operand_of(r.used[1]);
  for_each_walk(r, std::array{data::reach_of(r.used[0]), data::reach_of(r.used[2])}, part, parts,
                [&](const data::loop_nest<2>& walk) {
                  if (const auto bad = data::gather_elements(walk, table, r.indices))
                    throw_index_error(*bad, *r.used[1].record, r);
                });
}

void run_scatter(const operation_request& r, unsigned part, unsigned parts) {
  const auto table = data::operand_of(r.used[0]);
  for_each_walk(r, std::array{data::reach_of(r.used[1]), data::reach_of(r.used[2])}, part, parts,
                [&](const data::loop_nest<2>& walk) {
                  if (const auto bad = data::scatter_elements(walk, table, r.indices))
                    throw_index_error(*bad, *r.used[0].record, r);
                });
}

constexpr operation_kind copy_kind{"copy", trace::kind::copy, run_copy, operation_kind::cut::allowed, true};
constexpr operation_kind fill_kind{"fill", trace::kind::fill, run_fill, operation_kind::cut::allowed, true};
constexpr operation_kind gather_kind{"gather", trace::kind::copy, run_gather};
constexpr operation_kind scatter_kind{"scatter", trace::kind::copy, run_scatter, operation_kind::cut::forbidden};

/// Throws if an operation would read and write the same elements of an instance.
void refuse_overlap(const instance_record& r, std::span<const box> boxes, const point& shift,
                    const std::source_location& where) {
  for (const box& to : boxes)
    for (const box& from : boxes)
      if (to.meets(from.shifted(shift)))
        throw error("D11", "copy reads and writes the same elements of " + detail::describe(r))
            .fact("submitted", where)
            .fact("from", from.shifted(shift).text())
            .fact("to", to.text())
            .remedy("copy through a second instance");
}

/// Throws unless both instances have the elements; returns their bytes.
std::uint64_t bytes_to_copy(const instance_handle& to, const instance_handle& from, std::span<const box> boxes,
                            const point& shift, base::thread_context& context, const std::source_location& where) {
  const instance_record& target = data::usable(to, "copy", context, where);
  const instance_record& source = data::usable(from, "copy", context, where);
  std::uint64_t bytes = 0;
  for (const box& b : boxes) {
    data::require_inside("copy", b, target, where);
    const box moved = b.shifted(shift);
    data::require_inside("copy", moved, source, where);
    bytes += b.volume() * target.shape.element_bytes;
  }
  if (&target == &source) refuse_overlap(target, boxes, shift, where);
  return bytes;
}

operation_request copy_request_of(const instance_handle& to, const instance_handle& from, std::span<const box> boxes,
                                  const point& shift, std::uint64_t bytes, const std::source_location& where) {
  operation_request r;
  r.kind = &copy_kind;
  r.bytes = bytes;
  r.used = {to, from};
  r.used_count = 2;
  r.box_count = boxes.size();
  r.shift = shift;
  r.where = where;
  if (!boxes.empty()) r.first_box = boxes[0];
  if (boxes.size() > 1) {
    const auto all = std::make_shared<box[]>(boxes.size());
    std::ranges::copy(boxes, all.get());
    r.boxes = all;
  }
  return r;
}

/// The intersection of both boxes.
const box& common_box(const instance_handle& to, const instance_handle& from, base::thread_context& context,
                      const std::source_location& where) {
  const instance_record& target = data::usable(to, "copy", context, where);
  const instance_record& source = data::usable(from, "copy", context, where);
  if (target.shape.box != source.shape.box)
    throw error("D06", "copy of whole instances whose boxes differ")
        .fact("submitted", where)
        .fact("from", describe(source) + ", " + source.shape.box.text())
        .fact("to", describe(target) + ", " + target.shape.box.text())
        .remedy("name the box to copy, or where it goes: copy(from, box, to, at)");
  return target.shape.box;
}

}  // namespace

namespace data {

operation_request copy_request(const instance_handle& to, const instance_handle& from, std::span<const box> boxes,
                               const point& shift, base::thread_context& context, const std::source_location& where) {
  return copy_request_of(to, from, boxes, shift, bytes_to_copy(to, from, boxes, shift, context, where), where);
}

operation_request copy_request(const instance_handle& to, const instance_handle& from, base::thread_context& context,
                               const std::source_location& where) {
  return copy_request(to, from, {&common_box(to, from, context, where), 1}, {}, context, where);
}

operation_request fill_request(const instance_handle& to, const box* part, const void* value, std::size_t bytes,
                               base::thread_context& context, const std::source_location& where) {
  const instance_record& target = data::usable(to, "fill", context, where);
  if (part) data::require_inside("fill", *part, target, where);
  operation_request r;
  r.kind = &fill_kind;
  r.used[0] = to;
  r.used_count = 1;
  r.first_box = part ? *part : target.shape.box;
  r.bytes = r.first_box.volume() * bytes;
  r.where = where;
  if (bytes > r.value.size()) {
    const auto kept = std::make_shared<std::byte[]>(bytes);
    std::memcpy(kept.get(), value, bytes);
    r.large_value = kept;
  } else {
    std::memcpy(r.value.data(), value, bytes);
  }
  return r;
}

operation_request indexed_request(detail::indexed way, const instance_handle& dense, const instance_handle& table,
                                  const instance_handle& indices, detail::index_kind kind,
                                  base::thread_context& context, const std::source_location& where) {
  const bool gathers = way == detail::indexed::gather;
  const operation_kind& what = gathers ? gather_kind : scatter_kind;
  const instance_record& all = data::usable(dense, what.verb, context, where);
  data::usable(table, what.verb, context, where);
  const instance_record& index_record = data::usable(indices, what.verb, context, where);
  data::require_inside(what.verb, all.shape.box, index_record, where);
  operation_request r;
  r.kind = &what;
  r.used = gathers ? std::array{dense, table, indices} : std::array{table, dense, indices};
  r.used_count = 3;
  r.first_box = all.shape.box;
  r.bytes = 4 * r.first_box.volume() * all.shape.element_bytes;  // scattered accesses cost more than their bytes
  r.indices = kind;
  r.where = where;
  return r;
}

}  // namespace data

namespace detail {

event copy_boxes(const instance_handle& to, const instance_handle& from, std::span<const box> boxes, const point& shift,
                 const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("copy");
  if (!data::are_local(context, to, from)) [[unlikely]]
    return data::ask({.used = {to, from}, .used_count = 2, .is_whole = false, .boxes = boxes, .shift = shift}, after,
                     context, where);
  const std::uint64_t bytes = bytes_to_copy(to, from, boxes, shift, context, where);
  if (data::is_global(to) || data::is_global(from)) [[unlikely]]
    if (data::other_nodes* const others = data::state_of(context).others) others->hold_back(where);
  if (!after.profile && data::runs_at_once(std::array{to, from}, bytes, after, context)) {
    const data::operation_span span(copy_kind, std::array{to, from}, bytes, where, data::operation_span::cause::none,
                                    context);
    for (const box& b : boxes)
      data::copy_elements(data::plan(b, std::array{data::reach_of(to), data::reach_of(from, shift)}));
    return {};
  }
  return data::submit(copy_request_of(to, from, boxes, shift, bytes, where), after, context);
}

event copy_whole(const instance_handle& to, const instance_handle& from, const preconditions& after,
                 const std::source_location& where) {
  base::thread_context& context = base::require_current("copy");
  if (!data::are_local(context, to, from)) [[unlikely]]
    return data::ask({.used = {to, from}, .used_count = 2}, after, context, where);
  return copy_boxes(to, from, {&common_box(to, from, context, where), 1}, {}, after, where);
}

event fill_box(const instance_handle& to, const box* part, const void* value, std::size_t bytes,
               const preconditions& after, const std::source_location& where) {
  base::thread_context& context = base::require_current("fill");
  if (!data::is_local(to, context)) [[unlikely]]
    return data::ask({.what = data::remote_operation_request::action::fill,
                      .used = {to},
                      .is_whole = !part,
                      .boxes = {part, part ? std::size_t{1} : 0},
                      .value = {static_cast<const std::byte*>(value), bytes}},
                     after, context, where);
  operation_request r = data::fill_request(to, part, value, bytes, context, where);
  if (data::is_global(to)) [[unlikely]]
    return data::fill_through_host(r, after, context);
  return data::submit(std::move(r), after, context);
}

event move_indexed(indexed way, const instance_handle& dense, const instance_handle& table,
                   const instance_handle& indices, index_kind kind, const preconditions& after,
                   const std::source_location& where) {
  base::thread_context& context = base::require_current(way == indexed::gather ? "gather" : "scatter");
  if (!data::are_local(context, dense, table, indices)) [[unlikely]]
    return data::ask({.what = way == indexed::gather ? data::remote_operation_request::action::gather
                                                     : data::remote_operation_request::action::scatter,
                      .used = {dense, table, indices},
                      .used_count = 3,
                      .indices = kind},
                     after, context, where);
  return data::submit(data::indexed_request(way, dense, table, indices, kind, context, where), after, context);
}

}  // namespace detail
}  // namespace stretto
