#include "dist/control_messages.hpp"

namespace stretto::dist {

control_messages::control_messages(job& j)
    : job_(j), message_(j.on<&control_messages::on_message>("control.message", this)) {
  j.add_advancing(*this);
}

void control_messages::send(rank to, std::span<const std::byte> content) {
  writer w;
  w.put_bytes(content);
  job_.send(to, message_, w);
}

void control_messages::on_message(rank from, reader& message, base::thread_context& context) {
  if (handler_) handler_->heard(from, message.get_bytes(message.left()), context);
}

void control_messages::lost(rank node, base::thread_context& context) noexcept {
  if (handler_) handler_->lost(node, context);
}

void control_messages::advance(base::thread_context& context) {
  if (handler_) handler_->polled(context);
}

}  // namespace stretto::dist
