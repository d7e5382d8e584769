#include "dist/control_messages.hpp"

namespace stretto::dist {

control_messages::control_messages(job& j) : job_(j) {
  j.on<&control_messages::on_message>(this);
  j.add_advancing(*this);
}

void control_messages::send(rank to, std::span<const std::byte> content) { job_.send(to, control_message{content}); }

void control_messages::on_message(rank from, const control_message& m, base::thread_context& context) {
  if (!handler_) return job_.refuse_unknown("a control message, which no floor of this node handles", from);
  if (!handler_->heard(from, m.content, context)) job_.refuse_unknown("a control message of no known kind", from);
}

void control_messages::lost(rank node, base::thread_context& context) noexcept {
  if (handler_) handler_->lost(node, context);
}

void control_messages::advance(base::thread_context& context) {
  if (handler_) handler_->polled(context);
}

}  // namespace stretto::dist
