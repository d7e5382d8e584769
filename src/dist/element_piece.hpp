// element_piece.hpp - the header of each message that carries elements: which elements they are and where they go.
//
// The elements of one operation are sent in pieces. Each piece can be decoded alone. A piece is one dense box; or
// several boxes one after the other, which are listed at its start; or a part of the held contributions of a reduction
// instance.
//
// Threads     values.
#pragma once

#include <cstring>
#include <vector>

#include "data/staging_buffer.hpp"
#include "dist/pending_requests.hpp"
#include "dist/program_constants.hpp"
#include "dist/remote_requests.hpp"

namespace stretto::dist {

/// The fields that are the same in all pieces of one operation.
struct element_order {
  request_id of;
  data::remote_operation_request::action what = data::remote_operation_request::action::copy;
  detail::instance_handle target;
  bool is_whole = false;  // the target must have exactly the elements of `outline`
  box outline = {};       // hull of all boxes, in the target
  std::uint32_t bytes_each = 0;
  const detail::reduction_kind* kind = nullptr;
  std::uint32_t contributor = 0;
  std::uint32_t pieces = 1;
  std::source_location where;

  /// True if the pieces carry held contributions of a reduction instead of the elements of boxes.
  bool is_held() const noexcept {
    return what == data::remote_operation_request::action::reduce_held ||
           what == data::remote_operation_request::action::fold;
  }
};

struct element_piece {
  /// offered: the message is an offer, and the receiver copies the elements itself (pull_offers.hpp).
  enum class form : std::uint8_t { one_box, boxes, held, offered } is = form::one_box;
  box one = {};              // one_box
  std::uint64_t offset = 0;  // held: offset in `in_all` bytes
  std::uint64_t in_all = 0;
};

inline void put(writer& to, const element_order& o, const element_piece& p, std::uint16_t node) {
  to.put(o.of.requester);
  to.put(o.of.number);
  to.put(o.what);
  put(to, o.target);
  to.put(static_cast<std::uint8_t>(o.is_whole));
  put(to, o.outline);
  to.put(o.bytes_each);
  to.put(encode_kind(o.kind));
  to.put(o.contributor);
  to.put(o.pieces);
  to.put(encode(o.where, node));
  to.put(p.is);
  if (p.is == element_piece::form::one_box) put(to, p.one);
  if (p.is != element_piece::form::held) return;
  to.put(p.offset);
  to.put(p.in_all);
}

/// A decoded order. decode_kind must still look up the reduction operator from `kind_bits`.
struct read_order : element_order {
  std::uint64_t kind_bits = 0;
};
inline read_order get_order(reader& from, std::uint16_t node) {
  read_order o;
  o.of.requester = from.get<rank>();
  o.of.number = from.get<std::uint64_t>();
  o.what = from.get<data::remote_operation_request::action>();
  o.target = get_handle(from);
  o.is_whole = from.get<std::uint8_t>() != 0;
  o.outline = get_box(from);
  o.bytes_each = from.get<std::uint32_t>();
  o.kind_bits = from.get<std::uint64_t>();
  o.contributor = from.get<std::uint32_t>();
  o.pieces = from.get<std::uint32_t>();
  o.where = decode(from.get<std::uint64_t>(), node);
  return o;
}
inline element_piece get_piece(reader& from) {
  element_piece p;
  p.is = from.get<element_piece::form>();
  if (p.is == element_piece::form::one_box) p.one = get_box(from);
  if (p.is != element_piece::form::held) return p;
  p.offset = from.get<std::uint64_t>();
  p.in_all = from.get<std::uint64_t>();
  return p;
}

/// For a piece of several boxes: the size of the list of boxes at its start, which precedes the elements.
inline std::size_t front_of_boxes(std::size_t boxes) noexcept {
  return (sizeof(std::uint64_t) + boxes * sizeof(box) + 63) / 64 * 64;
}
inline void write_front(std::byte* to, std::span<const box> boxes) noexcept {
  const std::uint64_t count = boxes.size();
  std::memcpy(to, &count, sizeof count);
  if (count) std::memcpy(to + sizeof count, boxes.data(), boxes.size_bytes());
}
inline std::vector<box> read_front(const std::byte* from, std::size_t bytes) {
  std::uint64_t count = 0;
  if (bytes >= sizeof count) std::memcpy(&count, from, sizeof count);
  if (front_of_boxes(0) > bytes || count > (bytes - sizeof count) / sizeof(box)) return {};
  std::vector<box> all(count);
  if (count) std::memcpy(all.data(), from + sizeof count, count * sizeof(box));
  return all;
}

}  // namespace stretto::dist
