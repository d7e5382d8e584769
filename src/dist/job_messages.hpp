// job_messages.hpp - the messages of a job itself (job.hpp).
#pragma once

#include <string>
#include <string_view>

#include "dist/message_codec.hpp"

namespace stretto::dist {

/// The sender treats the receiver as failed. The receiver then treats the sender as failed, too.
struct node_disconnection {
  static constexpr std::string_view message = "job.disconnect";
  static constexpr bool is_counted = false;
  std::string why = {};
};

}  // namespace stretto::dist
