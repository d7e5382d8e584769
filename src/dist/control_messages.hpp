// control_messages.hpp - messages of a floor above to the same floor on other nodes.
//
// Messages    message: encoded by that floor. They are counted, so that the job does not end before they have been
//             handled.
// Threads     send: any of the runtime. The rest inside job::poll.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "data/node_talk.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

/// A message of a floor above, in an encoding of its own.
struct control_message {
  static constexpr std::string_view message = "control.message";
  std::span<const std::byte> content = {};
};

class control_messages final : public protocol {
 public:
  /// Must be made before job::start.
  explicit control_messages(job& j);
  /// Must be called before the first poll.
  void set_handler(data::listener* handler) noexcept { handler_ = handler; }
  void send(rank to, std::span<const std::byte> content);

  void lost(rank node, base::thread_context& context) noexcept override;
  void advance(base::thread_context& context) override;

 private:
  void on_message(rank from, const control_message& m, base::thread_context& context);

  job& job_;
  data::listener* handler_ = nullptr;
};

}  // namespace stretto::dist
