// instance_fields.hpp - boxes, points, places and instances as fields of messages (message_codec.hpp).
#pragma once

#include <stretto/box.hpp>
#include <stretto/copy.hpp>
#include <stretto/instance.hpp>
#include <stretto/reduce.hpp>

#include <cstdint>
#include <vector>

#include "data/other_nodes.hpp"
#include "dist/message_codec.hpp"

namespace stretto::dist {

template <>
struct field_codec<point> {
  static void put(field_encoder& to, const point& p) {
    for (int a = 0; a < max_axes; ++a) to.put(p[a]);
  }
  static void get(field_decoder& from, point& p) {
    for (int a = 0; a < max_axes; ++a) from.get(p[a]);
  }
};

template <>
struct field_codec<box> {
  static void put(field_encoder& to, const box& b) {
    to.put(b.min());
    to.put(b.max());
  }
  static void get(field_decoder& from, box& b) {
    point min, max;
    from.get(min);
    from.get(max);
    for (int a = 0; a < max_axes; ++a) {
      coordinate length = 0;
      if (__builtin_sub_overflow(max[a], min[a], &length)) return from.refuse();
    }
    b = box::between(min, max);
    if (b.min() != min || b.max() != max) from.refuse();
  }
};

template <>
struct field_codec<place> {
  static void put(field_encoder& to, const place& p) { to.put(p.index); }
  static void get(field_decoder& from, place& p) { from.get(p.index); }
};

/// Of another node, `record` is a number.
template <>
struct field_codec<detail::instance_handle> {
  static void put(field_encoder& to, const detail::instance_handle& h) {
    to.put(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record)));
    to.put(h.key);
  }
  static void get(field_decoder& from, detail::instance_handle& h) {
    h.record =
        reinterpret_cast<detail::instance_record*>(static_cast<std::uintptr_t>(from.bytes().get<std::uint64_t>()));
    from.get(h.key);
  }
};

template <>
inline constexpr auto last_of<axis_order> = axis_order::fortran;
template <>
inline constexpr auto last_of<reduction_style> = reduction_style::list;
template <>
inline constexpr auto last_of<detail::index_kind> = detail::index_kind::uint64;
template <>
inline constexpr auto last_of<data::remote_operation_request::action> = data::remote_operation_request::action::ready;

/// A reduction operator, as a constant of the program; 0 is none.
struct operator_bits {
  std::uint64_t bits = 0;
};

}  // namespace stretto::dist
