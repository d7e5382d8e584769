// mailbox.cpp - matches messages with receives.
#include "ranks/messages/mailbox.hpp"

#include <mutex>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/heap/readonly_buffers.hpp"
#include "ranks/messages/device_message.hpp"
#include "ranks/messages/send_buffer.hpp"
#include "ranks/messages/shared_copy.hpp"
#include "ranks/messages/usage_observer.hpp"
#include "ranks/messages/wait_targets.hpp"

namespace stretto::ranks {

namespace {

constexpr const char* from_other_node = "it comes from another node";

std::int64_t bytes_of(const queue_entry& message) {
  if (message.kind == entry_kind::early_message) return static_cast<const early_message&>(message).bytes;
  if (message.kind == entry_kind::late_data) return static_cast<const message_request&>(message).data.bytes();
  return static_cast<const remote_message&>(message).bytes;
}

message_status status_of(const queue_entry& message) {
  const std::int64_t bytes = bytes_of(message);
  return {message.match.source(), message.match.tag(), error_class::success, false, bytes, bytes};
}

/// The first side of the message has its data where it was; `first` is that side's request.
void fill_large(message_request& receive, const data_part& data, message_request& first) {
  if (receive.data.variable() && try_share_block(receive.data, data)) return;
  copy_with_help(first, receive.data, data);
}

/// Fills a receive with a message's data. `first` is that of the two requests which came first.
[[gnu::always_inline]] inline void fill(message_request& receive, envelope message, const data_part& data,
                                        message_request* first) {
  const std::int64_t bytes = std::min(receive.data.bytes(), data.bytes());
  if (first && bytes >= split_bytes) [[unlikely]]
    fill_large(receive, data, *first);
  else copy_part(receive.data, data);
  receive.status = status_of_copy(receive, message, data);
}

/// Ends the probes that wait for a message which has come. True if one of them takes it; later ones go on waiting.
bool match_probes(match_queues& queues, queue_entry& message, queue_entry*& ended) {
  bool is_taken = false;
  while (!is_taken) {
    auto* const probe = static_cast<probe_request*>(queues.take_probe(message.match));
    if (!probe) break;
    probe->status = status_of(message);
    is_taken = probe->kind_of_probe() == entry_kind::matched_probe;
    if (is_taken) probe->message = &message;
    probe->of_bin.next = std::exchange(ended, probe);
  }
  return is_taken;
}

void end_probes(queue_entry* ended) {
  while (ended) static_cast<probe_request*>(std::exchange(ended, ended->of_bin.next))->end();
}

// Reports to the observer of messages.
void observe_wait(const queue_entry& entry) {
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->waits(entry);
}
/// A receive that waited in a queue takes a message.
void observe_match(const queue_entry& receive, std::int64_t bytes) {
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->matched(receive, bytes);
}
/// A receive takes a message that waited in a queue.
void observe_match(const queue_entry& message) {
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->matched(message, bytes_of(message));
}
void observe_cancellation(const queue_entry& entry) {
  if (usage_observer::installed) [[unlikely]]
    usage_observer::installed->forgotten(entry);
}

/// Queues a message that no receive takes, unless a matched probe does.
void add(match_queues& queues, queue_entry& message, queue_entry*& probes) {
  observe_wait(message);
  if (!queues.has_probes() || !match_probes(queues, message, probes)) queues.add_message(message);
}

[[noreturn]] void refuse_ready(envelope message) {
  throw call_error(error_class::other, "no receive is posted for the ready send from rank " +
                                           std::to_string(message.source()) + " with tag " +
                                           std::to_string(message.tag()));
}

void keep_probe(completion&) noexcept {}
std::string describe_probe(const completion&) { return "a message that a probe waits for"; }
void add_probed_message(const request& r, wait_targets& to) {
  to.messages.push_back(static_cast<const probe_request&>(r).match);
}
constexpr request_kind probe_kind{{keep_probe, describe_probe}, nullptr, nullptr, nullptr, add_probed_message};

}  // namespace

probe_request::probe_request(entry_kind is, envelope pattern) : request(probe_kind), queue_entry(is, pattern) {}

mailbox::mailbox() : contexts_(4) { slot_of(world_.context) = &world_; }

mailbox::~mailbox() {
  for (match_queues* const queues : contexts_) {
    if (!queues) continue;
    while (queue_entry* const m = queues->first_message()) {
      queues->remove(*m);
      if (m->kind == entry_kind::early_message) free_early(static_cast<early_message&>(*m));
      else if (m->kind == entry_kind::remote_data) static_cast<remote_message*>(m)->abandon();
    }
    if (queues != &world_) delete queues;
  }
}

match_queues*& mailbox::slot_of(context_number context) {
  const std::size_t mask = contexts_.size() - 1;
  std::size_t i = static_cast<std::size_t>(context) & mask;
  while (contexts_[i] && contexts_[i]->context != context) i = (i + 1) & mask;
  return contexts_[i];
}

void mailbox::add_context(context_number context) {
  if (2 * ++context_count_ > contexts_.size()) {
    const auto all = std::exchange(contexts_, std::vector<match_queues*>(2 * contexts_.size()));
    for (match_queues* const q : all) {
      if (q) slot_of(q->context) = q;
    }
  }
  slot_of(context) = new match_queues(context);
}

match_queues& mailbox::other_queues_of(context_number context) {
  if (!slot_of(context)) add_context(context);
  return *(last_ = slot_of(context));
}

bool mailbox::has_receives(context_number context) {
  const std::scoped_lock lock(lock_);
  const match_queues* const queues = slot_of(context);
  return queues && queues->has_receives();
}

early_message& mailbox::set_aside(match_queues& queues, envelope message, const data_part& data, queue_entry*& probes) {
  early_message& m = early_.make(message, data.bytes());
  copy_part(m.data(), data);
  add(queues, m, probes);
  return m;
}

void mailbox::free_early(early_message& m) {
  if (m.capacity) m.capacity->release(m.bytes);
  early_.free(m);
}

void mailbox::complete_receive(queue_entry& found, envelope message, const data_part& data) {
  auto& receive = static_cast<message_request&>(found);
  observe_match(receive, data.bytes());
  fill(receive, message, data, &receive);
  end_message(receive);
}

bool mailbox::deliver_to_receive(envelope message, const data_part& data) {
  if (has_device_memory()) [[unlikely]]
    return false;
  prefetch_queues();
  queue_entry* found;
  {
    const std::scoped_lock lock(lock_);
    found = queues_of(message.context()).take_receive(message);
  }
  if (found) complete_receive(*found, message, data);
  return found;
}

bool mailbox::deliver_now(envelope message, const data_part& data, send_mode mode) {
  if (has_device_memory()) [[unlikely]]
    return false;
  queue_entry *found, *probes = nullptr;
  prefetch_queues();
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(message.context());
    found = queues.take_receive(message);
    if (!found) {
      if (mode == send_mode::ready) refuse_ready(message);
      if (mode != send_mode::standard || data.bytes() > eager_bytes || early_.is_full()) return false;
      set_aside(queues, message, data, probes);
    }
  }
  if (!found) [[unlikely]] {
    end_probes(probes);
    return true;
  }
  complete_receive(*found, message, data);
  return true;
}

void mailbox::deliver(message_request& send) {
  queue_entry *found, *probes = nullptr;
  send.is_set_aside = false;
  const bool is_buffered = send.mode == send_mode::buffered, is_small = send.data.bytes() <= eager_bytes;
  if (is_buffered && !is_small) return deliver_aside(send);
  bool waits_for_driver = false;
  prefetch_queues();
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(send.match.context());
    found = queues.take_receive(send.match);
    if (!found && send.mode == send_mode::ready) refuse_ready(send.match);
    const bool is_early = send.mode == send_mode::standard && is_small && !early_.is_full();
    const bool is_aside = !found && (is_buffered || is_early);
    waits_for_driver = is_aside && need_driver(send.data, {});
    if (is_aside && !waits_for_driver) {
      if (is_buffered) send.buffer->reserve(send.data.bytes());
      early_message& m = set_aside(queues, send.match, send.data, probes);
      if (is_buffered) m.capacity = send.buffer;
      send.number = m.number;
      send.is_set_aside = m.in_queue;
      send.activate_done();
    } else if (!found && !is_aside) {
      send.wait_for_match();
      add(queues, send, probes);
    }
  }
  if (waits_for_driver) return deliver_aside(send);
  if (!found) return end_probes(probes);
  auto& receive = static_cast<message_request&>(*found);
  if (need_driver(receive.data, send.data)) {
    observe_match(receive, send.data.bytes());
    send.wait_for_match();
    return start_device_message(receive, send.match, send.data, end_of_send(send));
  }
  send.activate_done();
  complete_receive(receive, send.match, send.data);
}

void mailbox::deliver_copy(envelope message, const data_part& data, early_capacity* capacity) {
  queue_entry *found, *probes = nullptr;
  const bool is_large = data.bytes() > eager_bytes;
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(message.context());
    found = queues.take_receive(message);
    if (!found && !is_large) set_aside(queues, message, data, probes).capacity = capacity;
  }
  if (!found && !is_large) return end_probes(probes);
  if (found && !need_driver(static_cast<message_request&>(*found).data, {})) {
    auto& receive = static_cast<message_request&>(*found);
    observe_match(receive, data.bytes());
    fill(receive, message, data, nullptr);
    end_message(receive);
    if (capacity) capacity->release(data.bytes());
    return;
  }
  early_message& copied = make_early(message, data.bytes());
  copied.capacity = capacity;
  copy_part(copied.data(), data);
  if (found) receive_early(static_cast<message_request&>(*found), copied);
  else deliver_large(copied, nullptr);
}

early_message& mailbox::make_early(envelope message, std::int64_t bytes) {
  if (bytes > eager_bytes) return early_message_pool::make_large(message, bytes);
  const std::scoped_lock lock(lock_);
  return early_.make(message, bytes);
}

void mailbox::deliver_aside(message_request& send) {
  const bool is_buffered = send.mode == send_mode::buffered;
  if (is_buffered) send.buffer->reserve(send.data.bytes());
  early_message& copied = make_early(send.match, send.data.bytes());
  if (is_buffered) copied.capacity = send.buffer;
  copy_part(copied.data(), send.data);
  send.activate_done();
  deliver_large(copied, &send);
}

void mailbox::deliver_large(early_message& copied, message_request* send) {
  queue_entry *found, *probes = nullptr;
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(copied.match.context());
    found = queues.take_receive(copied.match);
    if (!found) add(queues, copied, probes);
    if (send) {
      send->number = copied.number;
      send->is_set_aside = copied.in_queue;
    }
  }
  if (found) receive_early(static_cast<message_request&>(*found), copied);
  else end_probes(probes);
}

void mailbox::receive_early(message_request& receive, early_message& m) {
  observe_match(receive, m.bytes);
  if (need_driver(receive.data, {})) return start_device_message(receive, m.match, m.data(), end_of_early(m));
  fill(receive, m.match, m.data(), nullptr);
  end_message(receive);
  const std::scoped_lock lock(lock_);
  free_early(m);
}

std::function<void(error_class)> mailbox::end_of_early(early_message& m) {
  return [this, &m](error_class) {
    const std::scoped_lock lock(lock_);
    free_early(m);
  };
}

void mailbox::deliver(remote_message& message) {
  queue_entry *found, *probes = nullptr;
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(message.match.context());
    found = queues.take_receive(message.match);
    if (!found) add(queues, message, probes);
  }
  if (!found) return end_probes(probes);
  observe_match(*found, message.bytes);
  report_copy_of(static_cast<message_request&>(*found).data, from_other_node);
  message.receive_into(static_cast<message_request&>(*found));
}

bool mailbox::try_withdraw(remote_message& message) {
  const std::scoped_lock lock(lock_);
  if (!message.in_queue) return false;
  queues_of(message.match.context()).remove(message);
  observe_cancellation(message);
  return true;
}

void mailbox::cancel_send(message_request& send) {
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(send.match.context());
    if (send.is_set_aside) {
      queue_entry* const m = queues.find_numbered(send.match, send.number);
      if (!m) return;
      queues.remove(*m);
      observe_cancellation(*m);
      free_early(static_cast<early_message&>(*m));
    } else {
      if (!send.in_queue) return;
      queues.remove(send);
      observe_cancellation(send);
    }
  }
  send.status.is_cancelled = true;
  if (!send.is_set_aside) end_message(send);
}

void mailbox::receive(message_request& receive) {
  queue_entry* found;
  {
    const std::scoped_lock lock(lock_);
    match_queues& queues = queues_of(receive.match.context());
    found = queues.find_message(receive.match);
    if (!found) {
      receive.wait_for_match();
      observe_wait(receive);
      return queues.add_receive(receive);
    }
    queues.remove(*found);
    if (found->kind == entry_kind::early_message) {
      auto& m = static_cast<early_message&>(*found);
      if (m.bytes <= bytes_under_lock && receive.data.is_dense()) {
        observe_match(m);
        receive.activate_done();
        fill(receive, m.match, m.data(), nullptr);
        return free_early(m);
      }
    }
  }
  this->receive(receive, *found);
}

void mailbox::receive(message_request& receive, queue_entry& message) {
  observe_match(message);
  if (message.kind == entry_kind::remote_data) {
    report_copy_of(receive.data, from_other_node);
    receive.wait_for_match();
    return static_cast<remote_message&>(message).receive_into(receive);
  }
  if (message.kind == entry_kind::late_data) {
    auto& send = static_cast<message_request&>(message);
    if (need_driver(receive.data, send.data)) {
      receive.wait_for_match();
      return start_device_message(receive, send.match, send.data, end_of_send(send));
    }
    receive.activate_done();
    fill(receive, send.match, send.data, &send);
    return end_message(send);
  }
  auto& m = static_cast<early_message&>(message);
  if (need_driver(receive.data, {})) {
    receive.wait_for_match();
    return start_device_message(receive, m.match, m.data(), end_of_early(m));
  }
  receive.activate_done();
  fill(receive, m.match, m.data(), nullptr);
  const std::scoped_lock lock(lock_);
  free_early(m);
}

void mailbox::cancel_receive(message_request& receive) {
  {
    const std::scoped_lock lock(lock_);
    if (!receive.in_queue) return;
    queues_of(receive.match.context()).remove(receive);
    observe_cancellation(receive);
  }
  receive.status.is_cancelled = true;
  end_message(receive);
}

std::optional<message_status> mailbox::try_probe(envelope pattern) {
  const std::scoped_lock lock(lock_);
  const queue_entry* const m = queues_of(pattern.context()).find_message(pattern);
  if (!m) return std::nullopt;
  return status_of(*m);
}

void mailbox::probe(probe_request& probe) {
  const std::scoped_lock lock(lock_);
  match_queues& queues = queues_of(probe.match.context());
  queue_entry* const m = queues.find_message(probe.match);
  if (!m) {
    probe.activate();
    return queues.add_probe(probe);
  }
  probe.activate_done();
  probe.status = status_of(*m);
  if (probe.kind_of_probe() == entry_kind::probe) return;
  queues.remove(*m);
  probe.message = m;
}

queue_entry* mailbox::try_take(envelope pattern, message_status& status) {
  const std::scoped_lock lock(lock_);
  match_queues& queues = queues_of(pattern.context());
  queue_entry* const m = queues.find_message(pattern);
  if (!m) return nullptr;
  status = status_of(*m);
  queues.remove(*m);
  return m;
}

}  // namespace stretto::ranks
