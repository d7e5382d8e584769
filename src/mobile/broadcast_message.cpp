#include "mobile/broadcast_message.hpp"

#include "dist/program_constants.hpp"

namespace stretto::mobiles {

void broadcast_header::fill(remote_message& msg, std::uint64_t index, std::uint64_t position) const {
  msg.object = first + index;
  msg.request = first_request + position;
  msg.function = function;
  msg.where = where;
  msg.action = static_cast<std::uint64_t>(action);
  msg.from = from;
  msg.priority = priority;
  msg.name = name;
}

void broadcast_message::write_header(dist::writer& to, std::span<const node_messages> to_nodes,
                                     std::uint16_t node) const {
  to.put(first).put(first_request).put(from).put(action).put(priority).put(function).put(dist::encode(where, node));
  to.put_text(name, max_name_bytes);
  to.put(static_cast<std::uint32_t>(to_nodes.size()));
  for (const node_messages& n : to_nodes) {
    to.put(n.node).put(static_cast<std::uint32_t>(n.runs.size()));
    for (const message_run& r : n.runs)
      to.put(r.index).put(r.position).put(r.number).put(r.answered_below).put(r.epoch).put(r.count);
  }
}

broadcast_message::broadcast_message(dist::reader& c, std::uint16_t node) {
  first = c.get<object_id>();
  first_request = c.get<std::uint64_t>();
  from = c.get<rank>();
  action = c.get<message_action>();
  priority = c.get<std::int8_t>();
  function = c.get<std::uint64_t>();
  where = dist::decode(c.get<std::uint64_t>(), node);
  name = c.get_text();
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) {
    node_messages& of = nodes.emplace_back();
    of.node = c.get<rank>();
    for (auto runs = c.get<std::uint32_t>(); runs && c.is_whole(); --runs) {
      message_run& r = of.runs.emplace_back();
      r.index = c.get<std::uint64_t>();
      r.position = c.get<std::uint64_t>();
      r.number = c.get<std::uint64_t>();
      r.answered_below = c.get<std::uint64_t>();
      r.epoch = c.get<std::uint32_t>();
      r.count = c.get<std::uint32_t>();
    }
  }
  arguments = c.get_bytes(c.left());
}

std::unique_ptr<remote_message> broadcast_message::message_at(const message_run& run, std::uint32_t i) const {
  auto msg = std::make_unique<remote_message>();
  fill(*msg, run.index + i, run.position + i);
  msg->number = run.number;
  msg->answered_below = run.answered_below;
  msg->routing.epoch = run.epoch;
  return msg;
}

}  // namespace stretto::mobiles
