// task_messages.hpp - the messages by which tasks run on other nodes (remote_tasks.hpp).
//
// A call is named by its number at the node that made it.
#pragma once

#include <stretto/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

#include "dist/instance_fields.hpp"
#include "dist/message_codec.hpp"
#include "dist/remote_calls.hpp"
#include "sched/profile_state.hpp"

namespace stretto::dist {

struct call_fields {
  call_number call = {};
  std::uint64_t function = 0;  // its detail::remote_function_type, as a constant of the program; 0: unknown
  event behind = {};
  std::source_location where = {};
  place at = {}, on = {};
  std::optional<std::uint32_t> worker = {};  // none: any
  bool is_profiled = false;
  std::int8_t priority = 0;
  std::string name = {};
};

/// To the node that runs the function: run it.
struct call_start {
  static constexpr std::string_view message = "tasks.run";
  call_fields call = {};
  std::span<const std::byte> arguments = {};
};

/// To the node that runs the function: place objects there, then run it; or place them only. An ordered message.
struct call_placement {
  static constexpr std::string_view message = "tasks.place";
  call_fields call = {};
  bool has_function = false;
  counted_bytes objects = {};  // for data::shared_arrays::place
  std::span<const std::byte> arguments = {};
};

/// From the node that runs the function: its value, the end of all its work, or both.
template <reply_stage stage>
struct call_reply {
  static constexpr std::string_view message = stage == reply_stage::value ? "tasks.value"
                                              : stage == reply_stage::end ? "tasks.end"
                                                                          : "tasks.value_and_end";
  call_number call = {};
  data::kept_attachments along = {};  // of the value
  failure_ref why = {};
  std::optional<sched::measured_elsewhere> times = {};  // none: it has not run, or no profile is wanted
  std::span<const std::byte> value = {};
};

/// To the node that runs the function: cancel the call.
struct call_cancellation {
  static constexpr std::string_view message = "tasks.cancel";
  call_number call = {};
  call_number request = {};  // of the cancellation, at its sender
  std::source_location where = {};
};

/// To the node that has cancelled the call: whether the call will not run.
struct call_cancelled {
  static constexpr std::string_view message = "tasks.cancelled";
  call_number request = {};   // of the cancellation
  bool is_withdrawn = false;  // the function will not run
};

}  // namespace stretto::dist
