#include "mobile/broadcast_message.hpp"

namespace stretto::mobiles {

void broadcast_header::fill(remote_message& msg, std::uint64_t index, std::uint64_t position) const {
  msg.object = id_after(first, index);
  msg.request = first_request + position;
  msg.function = function;
  msg.where = where;
  msg.action = static_cast<std::uint64_t>(action);
  msg.from = from;
  msg.priority = priority;
}

std::unique_ptr<remote_message> broadcast_message::message_at(const message_run& run, std::uint32_t i) const {
  auto msg = std::make_unique<remote_message>();
  header.fill(*msg, run.index + i, run.position + i);
  if (!name.text.empty()) msg->name = name.text;
  msg->number = run.number;
  msg->answered_below = run.answered_below;
  msg->routing.epoch = run.epoch;
  return msg;
}

}  // namespace stretto::mobiles
