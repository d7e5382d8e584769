// record.hpp - one recorded event: 48 bytes of numbers, without types of upper floors.
//
// Threads     a value.
//
// Ids are chosen by the floor above (an event handle, a task number); 0 means none. Two records with the same id are
// two parts of one operation, such as a task before and after its suspension.
#pragma once

#include <cstdint>

#include "trace/clock.hpp"

namespace stretto::trace {

enum class kind : std::uint8_t {
  task,       // host code that ran, from (re)start to end or suspension
  suspended,  // a task away from its worker; cause is what it waited for, amount the task that asked
  copy,       // amount is moved(bytes, from), as for fill and reduce; place is the memory written
  fill,
  reduce,
  kernel,
  message,    // of another node, while it is handled; name is its kind, amount is bytes
  wait,       // a thread that had nothing to run, or a thread of the program inside wait(); cause as suspended
  user_span,  // marked by the program
  counter,    // amount is the value (signed) at `end`
  instant,    // at `end`
  edge,       // no time of its own: at `end`, `id` was waiting for `cause` too
};
inline constexpr unsigned kind_count = 12;

/// "task", "suspended", ...: the category in the file.
const char* name(kind k) noexcept;

/// Kinds with a duration.
constexpr bool is_span(kind k) noexcept { return k < kind::counter; }

using name_id = std::uint32_t;
inline constexpr name_id no_name = 0;
inline constexpr std::uint16_t no_place = 0xffff;
inline constexpr std::uint16_t program_memory = 0xfffd;  // memory that belongs to no place of the platform

/// Kinds whose amount is moved(bytes, from).
constexpr bool moves_data(kind k) noexcept { return k == kind::copy || k == kind::fill || k == kind::reduce; }

/// Bytes (below 2^48) and the memory that they were read from, in one number.
constexpr std::uint64_t moved(std::uint64_t bytes, std::uint16_t from = no_place) noexcept {
  return (bytes & 0xffff'ffff'ffff) | std::uint64_t{static_cast<std::uint16_t>(from + 1)} << 48;
}
constexpr std::uint64_t bytes_moved(std::uint64_t amount) noexcept { return amount & 0xffff'ffff'ffff; }
constexpr std::uint16_t moved_from(std::uint64_t amount) noexcept {
  return static_cast<std::uint16_t>((amount >> 48) - 1);
}

struct record {
  ticks start = 0;
  ticks end = 0;
  std::uint64_t id = 0;
  std::uint64_t cause = 0;   // the operation that made this one ready; drawn as an arrow
  std::uint64_t amount = 0;  // bytes, value or task, as the kind says
  name_id name = no_name;
  std::uint16_t place = no_place;
  trace::kind kind = kind::task;
  std::uint8_t reserved = 0;

  friend bool operator==(const record&, const record&) = default;
};
static_assert(sizeof(record) == 48);

}  // namespace stretto::trace
