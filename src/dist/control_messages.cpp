#include "dist/control_messages.hpp"

namespace stretto::dist {

node_talk::node_talk(job& j) : job_(j), words_(j.on<&node_talk::on_words>("talk.words", this)) { j.add_advancing(*this); }

void node_talk::say(rank to, std::span<const std::byte> words) {
  writer w;
  w.put_bytes(words);
  job_.send(to, words_, w);
}

void node_talk::on_words(rank from, reader& content, base::thread_context& context) {
  if (listener_) listener_->heard(from, content.get_bytes(content.left()), context);
}

void node_talk::lost(rank node, base::thread_context& context) noexcept {
  if (listener_) listener_->lost(node, context);
}

void node_talk::advance(base::thread_context& context) {
  if (listener_) listener_->polled(context);
}

}  // namespace stretto::dist
