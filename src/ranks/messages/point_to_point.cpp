// point_to_point.cpp - requests on the stack of a call that waits, and from a pool for all others.
#include "ranks/messages/point_to_point.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/object_pool.hpp"
#include "ranks/call_error.hpp"
#include "ranks/messages/shared_copy.hpp"
#include "ranks/messages/wait_targets.hpp"

namespace stretto::ranks {

namespace {

using request_pool = base::object_pool<sizeof(message_request)>;

constexpr message_status of_null_process{null_process};

message_request& of(request& r) { return static_cast<message_request&>(r); }

void keep(completion&) noexcept {}
void free_request(completion& c) noexcept {
  auto* const r = static_cast<message_request*>(&c);
  r->~message_request();
  request_pool::free(r);
}

std::string describe_ended(const completion&) { return "send that is complete"; }
std::string describe_send(const completion& c) {
  envelope e = static_cast<const message_request&>(c).match;
  return "send of rank " + std::to_string(e.source()) + " with tag " + std::to_string(e.tag());
}
std::string describe_receive(const completion& c) {
  envelope e = static_cast<const message_request&>(c).match;
  return "receive from " + (e.source() == any_source ? "any rank" : "rank " + std::to_string(e.source())) + " with " +
         (e.tag() == any_tag ? "any tag" : "tag " + std::to_string(e.tag()));
}

void begin_send(request& r) {
  message_request& send = of(r);
  if (send.at.local) return send.at.local->deliver(send);
  if (send.at.remote) return send.at.remote->start_send(send);
  send.activate_done();
}
void begin_receive(request& r) {
  message_request& receive = of(r);
  if (receive.match.source() != null_process) return receive.at.local->receive(receive);
  receive.activate_done();
  receive.status = of_null_process;
}
void cancel_send(request& r) {
  message_request& send = of(r);
  if (send.at.local) send.at.local->cancel_send(send);
  else if (send.at.remote) send.at.remote->cancel_send(send);
}
void cancel_receive(request& r) {
  if (of(r).at.local) of(r).at.local->cancel_receive(of(r));
}
void add_receiver(const request& r, wait_targets& to) {
  const peer& at = static_cast<const message_request&>(r).at;
  if (at.local) to.receives.push_back(at.local);
  if (at.remote) to.receivers.push_back(at.remote->number());
}
void add_message(const request& r, wait_targets& to) {
  to.messages.push_back(static_cast<const message_request&>(r).match);
}
void help(request& r, const std::source_location& where) { help_with_copy(of(r), where); }

}  // namespace

namespace message_kinds {

const request_kind send{{free_request, describe_send}, begin_send, cancel_send, help, add_receiver};
const request_kind receive{{free_request, describe_receive}, begin_receive, cancel_receive, help, add_message};
const request_kind send_of_call{{keep, describe_send}, begin_send, cancel_send, help, add_receiver};
const request_kind receive_of_call{{keep, describe_receive}, begin_receive, cancel_receive, help, add_message};

}  // namespace message_kinds

namespace {

void ignore_cancellation(request&) {}

constexpr request_kind ended_kind{{keep, describe_ended}, nullptr, ignore_cancellation, nullptr, nullptr};

struct ended_request final : request {
  ended_request() : request(ended_kind) { activate_done(); }
} ended;

}  // namespace

request& ended_send = ended;

void* allocate_request() { return request_pool::allocate(); }

void start(request& r) {
  if (!r.is_persistent() || !r.functions().start)
    throw call_error(error_class::request, "the request is not persistent");
  if (r.is_active()) throw call_error(error_class::request, "the request is active");
  r.functions().start(r);
}

void cancel(request& r) {
  if (!r.functions().cancel) throw call_error(error_class::request, "its operation cannot be cancelled");
  if (!r.is_active()) throw call_error(error_class::request, "the request is inactive");
  r.functions().cancel(r);
}

std::optional<message_status> try_probe(mailbox& own, envelope pattern) {
  return pattern.source() == null_process ? of_null_process : own.try_probe(pattern);
}

message_status probe(mailbox& own, envelope pattern, const std::source_location& where) {
  if (pattern.source() == null_process) return of_null_process;
  probe_request r(entry_kind::probe, pattern);
  own.probe(r);
  wait_for(r, where);
  return r.status;
}

std::optional<matched_message> try_matched_probe(mailbox& own, envelope pattern) {
  if (pattern.source() == null_process) return matched_message{nullptr, of_null_process};
  matched_message m;
  m.message = own.try_take(pattern, m.status);
  if (!m.message) return std::nullopt;
  return m;
}

matched_message matched_probe(mailbox& own, envelope pattern, const std::source_location& where) {
  if (pattern.source() == null_process) return {nullptr, of_null_process};
  probe_request r(entry_kind::matched_probe, pattern);
  own.probe(r);
  wait_for(r, where);
  return {r.message, r.status};
}

message_status receive_matched(mailbox& own, queue_entry* message, const data_part& into,
                               const std::source_location& where) {
  if (!message) return of_null_process;
  message_request r(message_kinds::receive_of_call, entry_kind::receive, message->match, into);
  r.at.local = &own;
  own.receive(r, *message);
  wait_for(r, where);
  return r.status;
}

request_owner start_receive_matched(mailbox& own, queue_entry* message, const data_part& into, datatype_ref type) {
  const envelope pattern = message ? message->match : envelope{{}, null_process, any_tag};
  request_owner r(&new_receive({own, pattern, into}, std::move(type)));
  if (message) own.receive(of(*r), *message);
  else begin_receive(*r);
  return r;
}

}  // namespace stretto::ranks
