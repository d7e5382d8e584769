// message_codec.hpp - messages between nodes are structs: the one place where their fields become bytes, and bytes
// become fields.
//
//     struct subscribe_request {
//       static constexpr std::string_view message = "events.subscribe";  // the same on every node, and in traces
//       std::uint32_t slot = 0, generation = 0;
//       std::source_location where = {};
//     };
//     job.on<&remote_events::on_subscribe>(this);        // void on_subscribe(rank, const subscribe_request&, context&)
//     job.send(owner, subscribe_request{slot, generation, where});
//
// Fields are numbers, enumerations, texts, vectors, optionals, arrays and aggregates of fields, and what has a
// field_codec of its own: events, failures, source lines, ranks. A std::span<const std::byte> stands last: it is the
// rest of the message, is not copied, and is valid while the handler runs.
//
// Threads     a codec belongs to one thread.
// Cost        a copy per field; aggregates of numbers without gaps take one copy (codec_traits::is_block). Nothing is
//             allocated but texts and vectors.
// Invariants  (1) what is read again equals what was written. (2) reading other bytes gives false, or a message that
//             some node could have written; it allocates at most a small multiple of the bytes. (3) a message that is
//             cut, or longer than its fields, is refused.
#pragma once

#include <stretto/event.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/members.hpp"
#include "dist/program_constants.hpp"
#include "event/failure.hpp"
#include "net/handlers.hpp"

namespace stretto::dist {

using base::reader;
using base::writer;

/// A node of this job, from 0 to nodes() - 1, as the transport counts. Handles hold node numbers instead
/// (job::node_of).
using rank = net::node_number;

/// A rank as a field: reading refuses one that the job does not have.
struct node_rank {
  rank of = 0;
  constexpr node_rank() noexcept = default;
  constexpr node_rank(rank r) noexcept : of(r) {}
  constexpr operator rank() const noexcept { return of; }
};

/// Bytes in the middle of a message, after their count; read as a view, which is valid while the handler runs.
struct counted_bytes {
  std::span<const std::byte> all = {};
};

/// The interface by which failures become bytes. failure_codec implements it.
class failure_fields {
 public:
  virtual void write(writer& to, const failure& f) = 0;
  virtual failure_ref read(reader& from, rank sender) = 0;

 protected:
  ~failure_fields() = default;
};

/// The facts about the job that some fields need.
struct message_environment {
  std::uint16_t first_node = 0;  // the node number of rank 0
  std::uint32_t nodes = 0;
  rank sender = 0;
  failure_fields* failures = nullptr;

  std::uint16_t sending_node() const noexcept { return static_cast<std::uint16_t>(first_node + sender); }
};

class field_encoder;
class field_decoder;

/// Specialised for types that are no aggregates of fields:
///   static void put(field_encoder& to, const T& value);
///   static void get(field_decoder& from, T& value);
template <class T>
struct field_codec;

template <class T>
concept has_field_codec = requires(field_encoder& e, field_decoder& d, T& value) {
  field_codec<T>::put(e, value);
  field_codec<T>::get(d, value);
};

/// The last enumerator. To be specialised for each enumeration in a message, next to it: reading refuses larger values.
template <class E>
inline constexpr E last_of = static_cast<E>(std::numeric_limits<std::underlying_type_t<E>>::max());

template <class M>
concept message_struct = std::is_aggregate_v<M> && requires {
  { M::message } -> std::convertible_to<std::string_view>;
};

namespace codec_traits {
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

template <class T>
consteval bool is_one_block() {
  if constexpr (std::is_same_v<T, bool> || has_field_codec<T>) return false;
  else if constexpr (std::is_arithmetic_v<T>) return true;
  else if constexpr (std::is_enum_v<T>)
    return last_of<T> == static_cast<T>(std::numeric_limits<std::underlying_type_t<T>>::max());
  else if constexpr (std::is_aggregate_v<T> && std::is_trivially_copyable_v<T> && !std::is_empty_v<T> && !is_array<T> &&
                     std::has_unique_object_representations_v<T>)
    return decltype(base::with_members(std::declval<T&>(), [](const auto&... member) {
      return std::bool_constant<(is_one_block<std::remove_cvref_t<decltype(member)>>() && ...)>();
    }))::value;
  else return false;
}
/// True if one copy writes and reads a T, because any bytes of its size are a valid value. So it is for numbers, for
/// enumerations whose last_of is not specialised, and for aggregates of these without gaps.
template <class T>
inline constexpr bool is_block = is_one_block<T>();
template <class T>
inline constexpr bool is_block_aggregate = std::is_class_v<T> && is_block<T>;
}  // namespace codec_traits

class field_encoder {
 public:
  field_encoder(writer& to, const message_environment& of) noexcept : to_(to), of_(of) {}

  /// If true, put() does not copy a span, which is the last field, into the message, but stores it in `rest`.
  bool keeps_rest_apart = false;
  std::span<const std::byte> rest = {};

  writer& bytes() noexcept { return to_; }
  const message_environment& environment() const noexcept { return of_; }

  template <class T>
  [[gnu::always_inline]] void put(const T& value) {
    using namespace codec_traits;
    if constexpr (has_field_codec<T>) field_codec<T>::put(*this, value);
    else if constexpr (std::is_same_v<T, bool>) to_.put(static_cast<std::uint8_t>(value));
    else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) to_.put(value);
    else if constexpr (is_block_aggregate<T>) to_.put_front(value);
    else if constexpr (std::is_same_v<T, std::string>) {
      put_count(value.size());
      to_.put_bytes(std::as_bytes(std::span(value)));
    } else if constexpr (std::is_same_v<T, std::span<const std::byte>>) {
      if (keeps_rest_apart) rest = value;
      else to_.put_bytes(value);
    } else if constexpr (is_vector<T>) {
      put_count(value.size());
      if constexpr (is_block<typename T::value_type>) to_.put_bytes(std::as_bytes(std::span(value)));
      else
        for (const auto& v : value) put(v);
    } else if constexpr (std::is_same_v<T, counted_bytes>) {
      to_.put(static_cast<std::uint64_t>(value.all.size()));
      to_.put_bytes(value.all);
    } else if constexpr (is_optional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (is_array<T>) {
      for (const auto& v : value) put(v);
    } else {
      base::with_members(value, [&](const auto&... member) __attribute__((always_inline)) { (put(member), ...); });
    }
  }

 private:
  void put_count(std::size_t n) { to_.put(static_cast<std::uint32_t>(n)); }

  writer& to_;
  const message_environment& of_;
};

class field_decoder {
 public:
  field_decoder(reader& from, const message_environment& of) noexcept : from_(from), of_(of) {}

  reader& bytes() noexcept { return from_; }
  const message_environment& environment() const noexcept { return of_; }
  /// No node could have written what was read.
  void refuse() noexcept { is_refused_ = true; }
  /// True if all fields so far were complete, and none was refused.
  bool is_good() const noexcept { return !is_refused_ && from_.is_whole(); }

  template <class T>
  [[gnu::always_inline]] void get(T& value) {
    using namespace codec_traits;
    if constexpr (has_field_codec<T>) field_codec<T>::get(*this, value);
    else if constexpr (std::is_same_v<T, bool>) {
      const auto bit = from_.get<std::uint8_t>();
      if (bit > 1) refuse();
      value = bit == 1;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      value = from_.get<T>();
      if constexpr (std::is_enum_v<T>) {
        if (value > last_of<T>) {
          value = {};
          refuse();
        }
      }
    } else if constexpr (is_block_aggregate<T>) {
      from_.get_front(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = from_.get_text(std::size_t{from_.get<std::uint32_t>()});
    } else if constexpr (std::is_same_v<T, std::span<const std::byte>>) {
      value = from_.get_bytes(from_.left());
    } else if constexpr (is_vector<T>) {
      get_elements(value);
    } else if constexpr (std::is_same_v<T, counted_bytes>) {
      value.all = from_.get_bytes(from_.get<std::uint64_t>());
    } else if constexpr (is_optional<T>) {
      bool is_there = false;
      get(is_there);
      value.reset();
      if (is_there && is_good()) get(value.emplace());
    } else if constexpr (is_array<T>) {
      for (auto& v : value) get(v);
    } else {
      base::with_members(value, [&](auto&... member) __attribute__((always_inline)) { (get(member), ...); });
    }
  }

 private:
  /// Refuses a count of more elements than bytes are left, before it allocates: each element takes at least one byte.
  template <class T>
  void get_elements(std::vector<T>& all) {
    const auto n = from_.get<std::uint32_t>();
    if constexpr (codec_traits::is_block<T>) {
      const auto bytes = from_.get_bytes(std::size_t{n} * sizeof(T));
      if (bytes.empty()) return;
      all.resize(n);
      std::memcpy(all.data(), bytes.data(), bytes.size());
      return;
    }
    if (n > from_.left()) return refuse();
    for (std::uint32_t i = 0; i < n && is_good(); ++i) get(all.emplace_back());
  }

  reader& from_;
  const message_environment& of_;
  bool is_refused_ = false;
};

template <>
struct field_codec<node_rank> {
  static void put(field_encoder& to, node_rank r) { to.put(r.of); }
  static void get(field_decoder& from, node_rank& r) {
    from.get(r.of);
    if (r.of < from.environment().nodes) return;
    r = 0;
    from.refuse();
  }
};

template <>
struct field_codec<event> {
  static void put(field_encoder& to, event e) { to.put(e.raw()); }
  static void get(field_decoder& from, event& e) { e = event::from_raw(from.bytes().get<std::uint64_t>()); }
};

template <>
struct field_codec<std::source_location> {
  static void put(field_encoder& to, const std::source_location& where) {
    to.put(encode(where, to.environment().sending_node()));
  }
  static void get(field_decoder& from, std::source_location& where) {
    where = decode(from.bytes().get<std::uint64_t>(), from.environment().sending_node());
  }
};

/// A null failure_ref is a value, too: success.
template <>
struct field_codec<failure_ref> {
  static void put(field_encoder& to, const failure_ref& f) {
    to.put(static_cast<bool>(f));
    if (f) to.environment().failures->write(to.bytes(), *f.get());
  }
  static void get(field_decoder& from, failure_ref& f) {
    bool is_there = false;
    from.get(is_there);
    if (is_there && from.is_good()) f = from.environment().failures->read(from.bytes(), from.environment().sender);
  }
};

/// Appends the fields of `m`.
template <message_struct M>
void encode_message(writer& to, const M& m, const message_environment& of) {
  field_encoder(to, of).put(m);
}
/// The same without the last field of `m`, a span, which is returned, so that the caller can send it without a copy.
template <message_struct M>
std::span<const std::byte> encode_head(writer& to, const M& m, const message_environment& of) {
  field_encoder e(to, of);
  e.keeps_rest_apart = true;
  e.put(m);
  return e.rest;
}
/// False if the bytes are not exactly the fields of an M.
template <message_struct M>
bool decode_message(reader& from, M& m, const message_environment& of) {
  field_decoder d(from, of);
  d.get(m);
  return d.is_good() && from.left() == 0;
}
/// Decodes the first bytes of a message, as many fields as they hold. The others are 0 or empty, or stay as they were.
template <message_struct M>
void decode_prefix(reader& from, M& m, const message_environment& of) {
  field_decoder(from, of).get(m);
}

}  // namespace stretto::dist
