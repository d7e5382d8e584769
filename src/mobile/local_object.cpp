#include "mobile/local_object.hpp"

#include <algorithm>

namespace stretto::mobiles {

rank sender_state::handled_on(std::uint64_t number) const noexcept {
  for (const residence& s : residences)
    if (number < s.end) return s.on;
  return no_rank;
}

void sender_state::forget_below(std::uint64_t answered) noexcept {
  const auto kept = std::ranges::find_if(residences, [&](const residence& s) { return s.end > answered; });
  residences.erase(residences.begin(), kept);
  refused.erase(refused.begin(), refused.lower_bound(answered));
}

void sender_state::drop_out_of_order() noexcept {
  for (const auto& [number, msg] : out_of_order) delete static_cast<remote_message*>(msg);
  out_of_order.clear();
}

void local_object::enqueue(message& msg) {
  if (action_of(msg) == message_action::migrate) pending_migrations_.push_back(&msg);
  else waiting_.push(msg);
}

acceptance local_object::accept(sender_state& sender, message& msg) {
  if (msg.number < sender.next) return acceptance::duplicate;
  if (msg.number > sender.next)
    return sender.out_of_order.try_emplace(msg.number, &msg).second ? acceptance::early : acceptance::duplicate;
  ++sender.next;
  enqueue(msg);
  accept_in_sequence(sender);
  return acceptance::accepted;
}

bool local_object::skip(sender_state& sender, std::uint64_t number) {
  if (number < sender.next || !sender.out_of_order.try_emplace(number, nullptr).second) return false;
  accept_in_sequence(sender);
  return true;
}

void local_object::accept_in_sequence(sender_state& sender) {
  while (!sender.out_of_order.empty() && sender.out_of_order.begin()->first == sender.next) {
    if (message* const msg = sender.out_of_order.begin()->second) enqueue(*msg);
    sender.out_of_order.erase(sender.out_of_order.begin());
    ++sender.next;
  }
}

void local_object::begin_ready(message_list& to) noexcept {
  if (is_leaving) return;
  while (message* const msg = waiting_.first) {
    if ((is_paused && !released_messages) || !can_acquire(reads(*msg))) return;
    if (is_paused) --released_messages;
    waiting_.pop();
    acquire(reads(*msg));
    msg->handled_object = this;
    to.push(*msg);
  }
}

bool local_object::has_pending_migration(rank sender, std::uint64_t request) const noexcept {
  return std::ranges::any_of(pending_migrations_, [&](const message* msg) {
    return msg->is_remote && static_cast<const remote_message*>(msg)->from == sender &&
           static_cast<const remote_message*>(msg)->request == request;
  });
}

void local_object::put_back(message_queue queue, std::unique_ptr<remote_message> msg) {
  switch (queue) {
    case message_queue::migrations: pending_migrations_.push_back(msg.release()); return;
    case message_queue::accepted: waiting_.push(*msg.release()); return;
    case message_queue::out_of_order:
      if (sender(msg->from).out_of_order.try_emplace(msg->number, msg.get()).second) msg.release();
  }
}

void local_object::drop_messages() noexcept {
  while (message* const msg = waiting_.pop()) delete static_cast<remote_message*>(msg);
  for (message* const msg : pending_migrations_) delete static_cast<remote_message*>(msg);
  pending_migrations_.clear();
  local_sender_.drop_out_of_order();
  for (auto& [sender, c] : remote_senders_) c.drop_out_of_order();
}

void local_object::record_residence() {
  std::map<rank, std::uint64_t> ends;
  for (const message* msg = waiting_.first; msg; msg = msg->next) ends.try_emplace(sender_of(*msg, self_), msg->number);
  for (auto& [sender, c] : remote_senders_) {
    const auto first_waiting = ends.find(sender);
    const std::uint64_t end = first_waiting == ends.end() ? c.next : first_waiting->second;
    const std::uint64_t before = c.residences.empty() ? 0 : c.residences.back().end;
    if (end <= before) continue;
    if (!c.residences.empty() && c.residences.back().on == self_) c.residences.back().end = end;
    else c.residences.push_back({end, self_});
  }
}

void local_object::measure() {
  if (on_devices_) return;
  on_devices_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  is_measured.store(true, std::memory_order_release);
}

void local_object::count_devices() noexcept {
  if (on_devices_) load.devices.add(1e-9 * static_cast<double>(on_devices_->exchange(0, std::memory_order_relaxed)));
}

std::unique_ptr<local_object> departed_object::take_back() {
  local_object& o = *what;
  o.pending_migrations().clear();
  const auto forget = [](sender_state& c) {
    std::erase_if(c.out_of_order, [](const auto& h) { return h.second != nullptr; });
  };
  forget(o.local_sender());
  for (auto& [sender, c] : o.remote_senders()) forget(c);
  for (const carried_message& c : messages) {
    auto msg = std::make_unique<remote_message>(*c.what);
    o.put_back(c.queue, std::move(msg));
  }
  messages.clear();
  return std::move(what);
}

}  // namespace stretto::mobiles
