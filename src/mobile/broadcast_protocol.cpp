#include "mobile/broadcast_protocol.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "base/order_observer.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

namespace {

/// The sender sends to at most this many nodes; with more receivers, each of these forwards to a part of the others.
constexpr std::size_t fan_out = 8;
/// Larger arguments are sent to each node directly: a node that forwards makes a copy, and may lack memory for it.
constexpr std::size_t max_forwarded_bytes = std::size_t{4} << 10;
/// Further runs start another message, whose header stays below the size that a node may reject.
constexpr std::size_t max_runs = 1000;

std::size_t count_runs(std::span<const node_messages> nodes) {
  std::size_t all = 0;
  for (const node_messages& n : nodes) all += n.runs.size();
  return all;
}

}  // namespace

void broadcast_protocol::post(task_record& r, detail::broadcast_body& body) {
  const auto m = std::make_shared<pending_broadcast>(r, body, homes_.self());
  std::vector<std::uint64_t> local;
  for (std::uint64_t i = 0; i < body.objects; ++i) {
    if (directory_.is_here(id_after(m->header.first, i))) local.push_back(i);
    else m->elements.push_back({.index = i});
  }
  if (!m->elements.empty()) {
    if (body.write) body.write(body, m->arguments);
    if (job_) {
      job_->hold_back(r.where);
      m->memory = {job_->pressure(), dist::back_pressure::kind::unanswered, m->arguments.bytes.size()};
    }
  }
  thread_state& t = current_thread();
  if (t.observer) [[unlikely]] {
    // (Race checker) Remote dependencies are not tracked; the broadcast and its successors count as ordered after all.
    if (body.is_run) t.observer->spawned(&r, t), t.observer->follows(&r, {.task = m.get()});
    else t.observer->reused(&r);
  }
  sched::count_spawned(t);
  m->expect(body.objects + 1);
  if (!m->elements.empty()) post_remote_elements(m);
  m->send_local(local);
  m->element_ended(body.objects, {});
}

void broadcast_protocol::post_remote_elements(const std::shared_ptr<pending_broadcast>& m) {
  std::vector<std::pair<std::uint64_t, failure_ref>> lost;
  std::vector<message_run> open;
  for (std::uint64_t position = 0; position < m->elements.size(); ++position) {
    auto& element = m->elements[position];
    const object_id id = m->object(element);
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = s.all[id];
    if (e.loss) {
      lost.emplace_back(element.index, e.loss);
      continue;
    }
    element.number = e.messages_sent++;
    element.state = pending_broadcast::element::open;
    open.push_back(
        {.index = element.index, .position = position, .number = element.number, .answered_below = e.answered_below});
    ++e.unanswered;
    ++s.counters.far;
  }
  if (!open.empty()) sched::count_spawned(current_thread());
  replies_.add(m);  // before routing: after a node failure meanwhile they are sent again
  send(m, open);
  for (auto& [index, cause] : lost) m->element_ended(index, std::move(cause));
}

void broadcast_protocol::send(const std::shared_ptr<pending_broadcast>& m, const std::vector<message_run>& each) {
  std::vector<node_messages> parts;
  std::vector<std::uint32_t> part_of(homes_.nodes(), ~std::uint32_t{0});
  remote_message one;
  one.action = static_cast<std::uint64_t>(m->header.action);
  one.from = homes_.self();
  const bool is_small =
      !job_ || !job_->may_be_refused(m->arguments.bytes.size() + max_runs * sizeof(message_run) + 1024);
  for (message_run message : each) {
    const auto& element = m->elements[message.position];
    one.object = m->object(element);
    message_router::decision d;
    {
      auto& s = directory_.shard_of(one.object);
      const std::scoped_lock lock(s.lock);
      d = router_.decide_route(s.find(one.object), one);
    }
    if (d.what != message_router::decision::forward || d.routing.pins_object) {
      router_.deliver(std::make_unique<remote_message>(*m->message_to(element)));
    } else if (!is_small) {
      router_.forward(d.to, m->message_to(element), d.routing, dist::job::counting::itself);
    } else {
      message.epoch = d.routing.epoch;
      std::uint32_t& part = part_of[d.to];
      if (part == ~std::uint32_t{0} || parts[part].runs.size() == max_runs) {
        part = static_cast<std::uint32_t>(parts.size());
        parts.push_back({d.to, {}});
      }
      auto& runs = parts[part].runs;
      if (runs.empty() || !runs.back().try_append(message)) runs.push_back(message);
    }
  }
  forward({.header = m->header, .name = {m->name}, .arguments = m->arguments.bytes}, parts, m);
}

/// Sends each node its own part, or one of them also the parts of other nodes.
void broadcast_protocol::forward(broadcast_message m, std::span<node_messages> parts,
                                 const std::shared_ptr<const void>& lent) {
  const bool is_direct = parts.size() <= fan_out || m.arguments.size() > max_forwarded_bytes;
  for (std::size_t left = is_direct ? parts.size() : fan_out; !parts.empty();
       left = std::max<std::size_t>(left - 1, 1)) {
    std::size_t taken = (parts.size() + left - 1) / left;
    while (taken > 1 && count_runs(parts.first(taken)) > max_runs) --taken;
    const auto now = parts.first(taken);
    parts = parts.subspan(taken);
    const rank to = now.front().node;
    m.nodes.assign(std::move_iterator(now.begin()), std::move_iterator(now.end()));
    dist::writer head;
    dist::encode_head(head, m, job_->environment(homes_.self()));
    counters_.protocol_message_sent();
    counters_.broadcast_message_sent();
    const dist::message_kind kind = job_->kind_of<broadcast_message>();
    if (lent && head.size() <= net::transport::most_head_bytes) {
      job_->send(to, kind, head, m.arguments, lent, dist::job::counting::itself);
    } else {
      head.put_bytes(m.arguments);
      job_->send(to, kind, std::move(head));
    }
  }
}

void broadcast_protocol::forward_rest(const broadcast_message& all) {
  if (all.nodes.size() == 1) return;
  const rank sender = all.header.from;
  std::vector<node_messages> others(all.nodes.begin() + 1, all.nodes.end());
  // The sender must learn of parts that are lost on the way, as of any message that this node has forwarded.
  for (const node_messages& to : others) router_.forwarded().record(to.node, sender);
  if (std::ranges::any_of(others, [&](const node_messages& to) { return homes_.is_lost(to.node); }))
    runner_.send(sender, resend_request{{}, sender});
  forward({.header = all.header, .name = all.name, .arguments = all.arguments}, others, {});
}

reply_aggregation::share broadcast_protocol::aggregate_replies(rank to, std::uint64_t argument_bytes) {
  const auto send_all = [](void* owner, rank back, const encoded_replies& replies) {
    auto& self = *static_cast<broadcast_protocol*>(owner);
    self.counters_.protocol_message_sent();
    self.job_->send(back, self.job_->kind_of<aggregated_replies>(), replies);
  };
  return reply_aggregation::share(std::make_shared<reply_aggregation>(
      to, send_all, this,
      dist::back_pressure::share(job_->pressure(), dist::back_pressure::kind::received, argument_bytes)));
}

void broadcast_protocol::on(rank from, const broadcast_message& all) {
  forward_rest(all);
  const auto& runs = all.nodes.front().runs;
  const bool is_inline = all.arguments.size() <= remote_message::max_inline_bytes;
  std::shared_ptr<const std::byte> arguments;
  failure_ref no_room;
  if (!is_inline) try {
      arguments = job_->keep(all.arguments);
    } catch (const std::bad_alloc&) {
      no_room = job_->no_room_for(job_->kind_of<broadcast_message>(), from, all.arguments.size());
    }
  reply_aggregation::share reply_share = aggregate_replies(all.header.from, no_room ? 0 : all.arguments.size());
  const detail::message_type* const type = all.header.function ? message_type_at(all.header.function) : nullptr;
  thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);
  for (const message_run& r : runs)
    for (std::uint32_t i = 0; i < r.count; ++i) {
      auto msg = all.message_at(r, i);
      if (no_room) {
        router_.reject(std::move(msg), *no_room.get());
        continue;
      }
      msg->type = type;
      if (is_inline) msg->store_inline(all.arguments);
      else msg->received = arguments, msg->received_bytes = all.arguments.size();
      msg->reply_share = reply_share.one_more();
      ++msg->routing.hops;
      if (try_begin_at_once(*msg)) handlers_.begin_remote(*msg.release(), t);
      else router_.deliver(std::move(msg));
    }
  reply_share.end();
}

/// The usual case: the object is local and free.
bool broadcast_protocol::try_begin_at_once(remote_message& msg) {
  auto& s = directory_.shard_of(msg.object);
  const std::scoped_lock lock(s.lock);
  object_entry* const e = s.find(msg.object);
  if (!e || !e->local || homes_.is_lost(msg.from)) return false;
  local_object& o = *e->local;
  sender_state& sender = o.sender(msg.from);
  if (sender.next != msg.number || !sender.out_of_order.empty() || !o.try_begin(msg)) return false;
  ++sender.next;
  sender.forget_below(msg.answered_below);
  msg.handled_object = &o;
  s.counters.most_hops = std::max<std::uint64_t>(s.counters.most_hops, msg.routing.hops);
  return true;
}

}  // namespace stretto::mobiles
