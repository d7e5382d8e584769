// message_fields.hpp - fields of the messages between nodes that only mobile objects have (message_codec.hpp).
//
// Views of what was received are valid while the handler runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "dist/message_codec.hpp"
#include "mobile/messages.hpp"
#include "mobile/pending_replies.hpp"
#include "mobile/reply_batcher.hpp"

namespace stretto::mobiles {

/// A name, after its length in one byte; of a longer one the first max_name_bytes characters.
struct short_name {
  std::string_view text = {};
};

/// Fields after their number, of 64 bits: of messages that may be longer than 4 GiB.
template <class T>
struct long_list {
  std::vector<T> all = {};
};

/// The value of an aggregated reply, which is its last field: less than 64 KiB, after their number.
struct short_value {
  std::span<const std::byte> all = {};
};

}  // namespace stretto::mobiles

namespace stretto::dist {

template <>
inline constexpr auto last_of<reply_stage> = reply_stage::end;

template <>
struct field_codec<mobiles::short_name> {
  static void put(field_encoder& to, const mobiles::short_name& name) {
    const std::string_view text = name.text.substr(0, mobiles::max_name_bytes);
    to.put(static_cast<std::uint8_t>(text.size()));
    if (!text.empty()) to.bytes().put_bytes(std::as_bytes(std::span(text)));
  }
  static void get(field_decoder& from, mobiles::short_name& name) {
    const auto length = from.bytes().get<std::uint8_t>();
    if (!length) return;
    const auto bytes = from.bytes().get_bytes(length);
    name.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// A number that the bytes cannot hold allocates nothing: each field takes at least one.
template <class T>
struct field_codec<mobiles::long_list<T>> {
  static void put(field_encoder& to, const mobiles::long_list<T>& list) {
    to.put(static_cast<std::uint64_t>(list.all.size()));
    for (const T& one : list.all) to.put(one);
  }
  static void get(field_decoder& from, mobiles::long_list<T>& list) {
    const auto n = from.bytes().get<std::uint64_t>();
    if (n > from.bytes().left()) return from.refuse();
    for (std::uint64_t i = 0; i < n && from.is_good(); ++i) from.get(list.all.emplace_back());
  }
};

template <>
struct field_codec<mobiles::short_value> {
  static void put(field_encoder& to, const mobiles::short_value& value) {
    to.put(static_cast<std::uint16_t>(value.all.size()));
    to.put(value.all);
  }
  static void get(field_decoder& from, mobiles::short_value& value) {
    value.all = from.bytes().get_bytes(from.bytes().get<std::uint16_t>());
  }
};

/// Its requests, after their number in one byte.
template <>
struct field_codec<mobiles::reply_batcher::batch> {
  static void put(field_encoder& to, const mobiles::reply_batcher::batch& b) {
    to.put(static_cast<std::uint8_t>(b.count));
    to.bytes().put_bytes(std::as_bytes(b.all()));
  }
  static void get(field_decoder& from, mobiles::reply_batcher::batch& b) {
    const auto count = from.bytes().get<std::uint8_t>();
    if (count > mobiles::reply_batcher::max_replies) return from.refuse();
    const auto bytes = from.bytes().get_bytes(count * sizeof(std::uint64_t));
    if (bytes.empty()) return;
    std::memcpy(b.requests.data(), bytes.data(), bytes.size());
    b.count = count;
  }
};

static_assert(codec_traits::is_block_aggregate<mobiles::message_header>);

}  // namespace stretto::dist
