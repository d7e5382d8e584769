// control_messages.hpp - words of a floor above, from node to node.
//
// Messages    words: what the floor makes of them. They are counted, so that no job is over before they have been heard.
// Threads     say: any of the runtime. The rest inside job::poll.
#pragma once

#include "data/node_talk.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class control_messages final : public protocol {
 public:
  /// Before job::start.
  explicit control_messages(job& j);
  /// Before the first poll.
  void set_handler(data::listener* handler) noexcept { handler_ = handler; }
  void send(rank to, std::span<const std::byte> content);

  void lost(rank node, base::thread_context& context) noexcept override;
  void advance(base::thread_context& context) override;

 private:
  void on_message(rank from, reader& message, base::thread_context& context);

  job& job_;
  const message_kind message_;
  data::listener* handler_ = nullptr;
};

}  // namespace stretto::dist
