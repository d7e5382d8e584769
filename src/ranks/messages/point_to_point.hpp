// point_to_point.hpp - sends, receives and probes of a rank, as the calls of MPI need them.
//
// Errors      of arguments of one call: call_error, thrown here. Of a receive (truncation): in its status;
//             throw_error_of throws them. A request of a persistent operation is inactive when it is made.
// Threads     tasks and attached threads of the node's runtime; any thread where nobody waits.
// Cost        an early message of 8 bytes, or a receive that waits for it: one lock each, no heap once warm.
#pragma once

#include <new>
#include <optional>
#include <source_location>
#include <utility>

#include "ranks/messages/mailbox.hpp"
#include "ranks/messages/message_request.hpp"
#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {

/// The arguments of a send. The envelope names the sender.
struct send_arguments {
  peer to;
  envelope message;
  data_part data;
  send_mode mode = send_mode::standard;
  send_buffer* buffer = nullptr;  // required in buffered mode
};

/// The arguments of a receive by the rank whose mailbox this is. A source of null_process gives an empty message.
struct receive_arguments {
  mailbox& own;
  envelope pattern;
  data_part into;
};

/// Returns when the data may be changed: for a synchronous send, when it has been received.
/// Throws call_error(other) in ready mode without a receive, or if a device cannot copy the data; call_error(buffer) if
/// the attached buffer is too small.
void send(const send_arguments& a, const std::source_location& where = std::source_location::current());
message_status receive(const receive_arguments& a, const std::source_location& where = std::source_location::current());

/// Begins an operation. The request keeps `type`, whose layout the data has. Sends that are complete may share one.
request_owner start_send(const send_arguments& a, datatype_ref type = {});
request_owner start_receive(const receive_arguments& a, datatype_ref type = {});

/// Persistent operations.
request_owner make_send(const send_arguments& a, datatype_ref type = {}, std::shared_ptr<const void> numbers = {});
request_owner make_receive(const receive_arguments& a, datatype_ref type = {},
                           std::shared_ptr<const void> numbers = {});
/// Throws call_error(request) unless the request is persistent and inactive.
void start(request& r);

/// Cancels an active send or receive if no other side has matched it. It completes in any case, without waiting for
/// others. Throws call_error(request) for operations that cannot be cancelled.
void cancel(request& r);

std::optional<message_status> try_probe(mailbox& own, envelope pattern);
message_status probe(mailbox& own, envelope pattern,
                     const std::source_location& where = std::source_location::current());

/// A message that a probe has taken: receive it once. Null for the message of null_process.
struct matched_message {
  queue_entry* message = nullptr;
  message_status status;
};
std::optional<matched_message> try_matched_probe(mailbox& own, envelope pattern);
matched_message matched_probe(mailbox& own, envelope pattern,
                              const std::source_location& where = std::source_location::current());
message_status receive_matched(mailbox& own, queue_entry* message, const data_part& into,
                               const std::source_location& where = std::source_location::current());
request_owner start_receive_matched(mailbox& own, queue_entry* message, const data_part& into, datatype_ref type = {});

// In line, so that the arguments go from registers to the request: a copy through memory waits for its stores.

/// With requests from a pool, and on the stack of a call.
namespace message_kinds {
extern const request_kind send, receive, send_of_call, receive_of_call;
}
/// The request of all sends that were complete when their call returned, and of which no message is left to cancel.
/// It is never written.
extern request& ended_send;
/// Memory for a message_request.
void* allocate_request();

inline void set_arguments(message_request& r, const send_arguments& a) {
  r.at = a.to;
  r.mode = a.mode;
  r.buffer = a.buffer;
}

inline void send(const send_arguments& a, const std::source_location& where) {
  if (a.to.local && a.mode != send_mode::buffered && a.to.local->deliver_now(a.message, a.data, a.mode)) return;
  message_request r(message_kinds::send_of_call, entry_kind::late_data, a.message, a.data);
  set_arguments(r, a);
  r.functions().start(r);
  wait_for(r, where);
  throw_error_of(r.status);
}

inline message_status receive(const receive_arguments& a, const std::source_location& where) {
  message_request r(message_kinds::receive_of_call, entry_kind::receive, a.pattern, a.into);
  r.at.local = &a.own;
  if (a.pattern.source() == null_process) r.functions().start(r);
  else a.own.receive(r);
  wait_for(r, where);
  return r.status;
}

inline message_request& new_send(const send_arguments& a, datatype_ref&& type) {
  auto& r = *new (allocate_request()) message_request(message_kinds::send, entry_kind::late_data, a.message, a.data);
  set_arguments(r, a);
  r.type = std::move(type);
  return r;
}

inline message_request& new_receive(const receive_arguments& a, datatype_ref&& type) {
  auto& r = *new (allocate_request()) message_request(message_kinds::receive, entry_kind::receive, a.pattern, a.into);
  r.at.local = &a.own;
  r.type = std::move(type);
  return r;
}

inline request_owner start_send(const send_arguments& a, datatype_ref type) {
  const bool is_observed = usage_observer::installed;  // by the request
  if (a.to.local && !is_observed && a.to.local->deliver_to_receive(a.message, a.data))
    return request_owner(&ended_send);
  request_owner r(&new_send(a, std::move(type)));
  r->functions().start(*r);
  return r;
}

inline request_owner start_receive(const receive_arguments& a, datatype_ref type) {
  message_request& r = new_receive(a, std::move(type));
  request_owner owner(&r);
  if (a.pattern.source() == null_process) r.functions().start(r);
  else a.own.receive(r);
  return owner;
}

inline request_owner made_persistent(message_request& r, std::shared_ptr<const void> numbers) {
  r.numbers = std::move(numbers);
  r.make_persistent();
  return request_owner(&r);
}

inline request_owner make_send(const send_arguments& a, datatype_ref type, std::shared_ptr<const void> numbers) {
  return made_persistent(new_send(a, std::move(type)), std::move(numbers));
}

inline request_owner make_receive(const receive_arguments& a, datatype_ref type, std::shared_ptr<const void> numbers) {
  return made_persistent(new_receive(a, std::move(type)), std::move(numbers));
}

}  // namespace stretto::ranks
