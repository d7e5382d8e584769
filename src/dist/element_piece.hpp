// element_piece.hpp - the messages that carry elements: which elements they are and where they go.
//
// The elements of one operation are sent in pieces. Each piece can be decoded alone. A piece is one dense box; or
// several boxes one after the other, which are listed at its start; or a part of the held contributions of a reduction
// instance.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "data/layout.hpp"
#include "data/staging_buffer.hpp"
#include "dist/instance_fields.hpp"
#include "dist/pending_requests.hpp"
#include "dist/remote_requests.hpp"

namespace stretto::dist {

/// The fields that are the same in all pieces of one operation.
struct element_order {
  using action = data::remote_operation_request::action;
  request_id of = {};
  action what = action::copy;  // or reduce_values, reduce_held, fold
  detail::instance_handle target = {};
  bool is_whole = false;  // the target must have exactly the elements of `outline`
  box outline = {};       // hull of all boxes, in the target
  std::uint32_t bytes_each = 0;
  operator_bits reduction = {};
  std::uint32_t contributor = 0;
  std::uint32_t pieces = 1;
  std::source_location where = {};

  /// True if the pieces carry held contributions of a reduction instead of the elements of boxes.
  bool is_held() const noexcept { return what == action::reduce_held || what == action::fold; }
};

struct element_piece {
  /// offered: the message is an offer, and the receiver copies the elements itself (pull_offers.hpp).
  enum class form : std::uint8_t { one_box, boxes, held, offered } is = form::one_box;
  box one = {};              // one_box
  std::uint64_t offset = 0;  // held: offset in `in_all` bytes
  std::uint64_t in_all = 0;
};
template <>
inline constexpr auto last_of<element_piece::form> = element_piece::form::held;

/// To the node of the target; the bytes of the piece follow as a payload.
struct element_message {
  static constexpr std::string_view message = "instances.piece";
  element_order order = {};
  element_piece piece = {};

  /// True if a payload of so many bytes can be this piece.
  bool is_sound(std::uint64_t bytes) const noexcept;
};

/// To the node of the target: the operation has failed, and no more pieces come than these.
struct elements_abandoned {
  static constexpr std::string_view message = "instances.abandoned";
  request_id of = {};
  std::uint32_t sent = 0;
  failure_ref why = {};
};

/// To the node of a posted receive: these elements of it will not come.
struct elements_not_coming {
  static constexpr std::string_view message = "instances.not_coming";
  std::uint64_t number = 0;  // of the receive
  failure_ref why = {};
  std::vector<box> boxes = {};
};

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
  for (box& b : all) b = box::between(b.min(), b.max());
  return all;
}

/// True if these boxes are elements of the operation, whose bytes are so many.
inline bool are_boxes_of(const element_order& o, std::span<const box> boxes, std::uint64_t bytes) noexcept {
  for (const box& b : boxes) {
    if (!o.outline.contains(b) || data::is_beyond_addressing(b, o.bytes_each)) return false;
    const std::uint64_t its = b.volume() * o.bytes_each;
    if (its > bytes) return false;
    bytes -= its;
  }
  return bytes == 0;
}

inline bool element_message::is_sound(std::uint64_t bytes) const noexcept {
  using form = element_piece::form;
  const bool is_copy = order.what == element_order::action::copy;
  if (order.pieces == 0 || order.is_held() != (piece.is == form::held) || is_copy != !order.reduction.bits)
    return false;
  if (order.is_held()) return piece.offset <= piece.in_all && bytes <= piece.in_all - piece.offset;
  if (!is_copy && order.what != element_order::action::reduce_values) return false;
  return piece.is == form::one_box ? are_boxes_of(order, {&piece.one, 1}, bytes) : bytes >= front_of_boxes(0);
}

}  // namespace stretto::dist
