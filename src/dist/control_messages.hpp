// control_messages.hpp - words of a floor above, from node to node.
//
// Messages    words: what the floor makes of them. They are counted, so that no job is over before they have been heard.
// Threads     say: any of the runtime. The rest inside job::poll.
#pragma once

#include "data/node_talk.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class node_talk final : public protocol {
 public:
  /// Before job::start.
  explicit node_talk(job& j);
  /// Before the first poll.
  void listen(data::listener* who) noexcept { listener_ = who; }
  void say(rank to, std::span<const std::byte> words);

  void lost(rank node, base::thread_context& context) noexcept override;
  void advance(base::thread_context& context) override;

 private:
  void on_words(rank from, reader& content, base::thread_context& context);

  job& job_;
  const message_kind words_;
  data::listener* listener_ = nullptr;
};

}  // namespace stretto::dist
