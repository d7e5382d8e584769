// clock_messages.hpp - the messages by which a node measures the offset of its clock (job_clock.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "dist/message_codec.hpp"

namespace stretto::dist {

/// Must be measured at the beginning and at the end of a run.
enum class measuring_point : std::uint8_t { beginning, end };
template <>
inline constexpr auto last_of<measuring_point> = measuring_point::end;

/// To node 0: what time is it there?
struct clock_query {
  static constexpr std::string_view message = "clock.query";
  static constexpr bool is_counted = false;
  measuring_point point = {};
  std::uint32_t sample = 0;  // from 1 on
  std::int64_t sent_at_ns = 0;
};

/// From node 0: its time when it received the query, which is returned, too.
struct clock_reply {
  static constexpr std::string_view message = "clock.reply";
  static constexpr bool is_counted = false;
  clock_query query = {};
  std::int64_t answered_at_ns = 0;
};

}  // namespace stretto::dist
