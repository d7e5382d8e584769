// hang_messages.hpp - the messages by which the nodes of a job decide whether it hangs (job_hang_detector.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dist/message_codec.hpp"
#include "dist/round_number.hpp"

namespace stretto::diagnose {

/// The stalls that the coordinator should report: any stall; only a proven hang; or the state at once, whatever it is.
enum class verdict_request : std::uint8_t { any, proven_only, at_once };
/// progress_elsewhere: another node makes progress. reported: the coordinator reports the stall without proof.
enum class hang_verdict : std::uint8_t { none, progress_elsewhere, reported, proven };

/// To the coordinator: the sender is stalled.
struct hang_request {
  static constexpr std::string_view message = "hangs.request";
  static constexpr bool is_counted = false;
  verdict_request wanted = {};
};

/// From the coordinator: report your state in this round.
struct hang_query {
  static constexpr std::string_view message = "hangs.query";
  static constexpr bool is_counted = false;
  dist::round_number round = {};
  bool with_snapshot = false;
};

/// To the coordinator: the state of the sender in that round.
struct hang_reply {
  static constexpr std::string_view message = "hangs.reply";
  static constexpr bool is_counted = false;
  dist::round_number round = {};
  bool is_still = false;
  std::uint64_t progress = 0, sent = 0, handled = 0;
  std::span<const std::byte> snapshot = {};  // what waits there for what, as JSON; empty if not wanted
};

/// From the coordinator, to the nodes that have sent a request: whether the job hangs.
struct hang_decision {
  static constexpr std::string_view message = "hangs.verdict";
  static constexpr bool is_counted = false;
  hang_verdict is = {};
};

/// The hang is proven: end the waits that take part in it.
struct hang_end {
  static constexpr std::string_view message = "hangs.end_waits";
  static constexpr bool is_counted = false;
  bool is_to_be_forwarded = false;  // to all nodes that the receiver reaches
};

}  // namespace stretto::diagnose

namespace stretto::dist {
template <>
inline constexpr auto last_of<diagnose::verdict_request> = diagnose::verdict_request::at_once;
template <>
inline constexpr auto last_of<diagnose::hang_verdict> = diagnose::hang_verdict::proven;
}  // namespace stretto::dist
