// message_type.hpp - which kind of message of a job a struct is.
//
// Each struct has a number of the process, given when the first job registers it; each job has a table from these
// numbers to its kinds. So a message is sent by its type alone.
//
// Threads     type_number_of: any. kinds_of_types: set before others read.
// Cost        two loads per message sent.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "dist/message_codec.hpp"

namespace stretto::dist {

/// A kind of message; job::on assigns the numbers.
enum class message_kind : std::uint16_t {};

inline std::atomic<std::uint32_t> last_message_type{0};

template <message_struct M>
std::uint32_t type_number_of() noexcept {
  static constinit std::atomic<std::uint32_t> number{0};
  std::uint32_t mine = number.load(std::memory_order_relaxed);
  if (mine) [[likely]]
    return mine;
  const std::uint32_t next = 1 + last_message_type.fetch_add(1, std::memory_order_relaxed);
  return number.compare_exchange_strong(mine, next, std::memory_order_relaxed) ? next : mine;
}

class kinds_of_types {
 public:
  static constexpr message_kind none{0xffff};

  void set(std::uint32_t type, message_kind kind) {
    if (all_.size() <= type) all_.resize(type + 1, none);
    all_[type] = kind;
  }
  /// none: no job::on has registered the type.
  message_kind at(std::uint32_t type) const noexcept { return type < all_.size() ? all_[type] : none; }

 private:
  std::vector<message_kind> all_;
};

/// Whether termination waits for it: every message that does not say `static constexpr bool is_counted = false`.
template <message_struct M>
consteval bool is_counted() {
  if constexpr (requires { M::is_counted; }) return M::is_counted;
  else return true;
}

namespace handlers_of {
template <class Owner, class M, class... More>
M message_argument(void (Owner::*)(rank, const M&, More...));
template <class Owner, class M, class... More>
M message_argument(void (Owner::*)(rank, const M&, More...) noexcept);
}  // namespace handlers_of
/// The message that a member function handles.
template <class Handler>
using message_of = decltype(handlers_of::message_argument(std::declval<Handler>()));

/// A kind of message for checks of its fields, without its type.
struct message_type {
  std::string_view name;
  /// A message of default fields.
  std::vector<std::byte> (*default_bytes)(const message_environment&);
  /// Decodes the bytes and encodes the result again; nothing if they do not decode.
  std::optional<std::vector<std::byte>> (*reencode)(const message_environment&, std::span<const std::byte>);
  /// A message of the fields that the first of any bytes hold.
  std::vector<std::byte> (*from_prefix)(const message_environment&, std::span<const std::byte>);
};

namespace message_checks {
template <message_struct M>
std::vector<std::byte> bytes_of(const M& m, const message_environment& of) {
  writer to;
  encode_message(to, m, of);
  return std::vector(to.all().begin(), to.all().end());
}
template <message_struct M>
std::vector<std::byte> default_bytes(const message_environment& of) {
  return bytes_of(M{}, of);
}
template <message_struct M>
std::optional<std::vector<std::byte>> reencode(const message_environment& of, std::span<const std::byte> bytes) {
  reader from(bytes);
  M m{};
  if (!decode_message(from, m, of)) return {};
  return bytes_of(m, of);
}
template <message_struct M>
std::vector<std::byte> from_prefix(const message_environment& of, std::span<const std::byte> bytes) {
  reader from(bytes);
  M m{};
  decode_prefix(from, m, of);
  return bytes_of(m, of);
}
}  // namespace message_checks

template <message_struct M>
inline constexpr message_type message_type_of{M::message, message_checks::default_bytes<M>, message_checks::reencode<M>,
                                              message_checks::from_prefix<M>};

}  // namespace stretto::dist
