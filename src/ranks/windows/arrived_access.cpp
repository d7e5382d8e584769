#include "ranks/windows/arrived_access.hpp"

#include <cstring>
#include <source_location>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/messages/usage_observer.hpp"

namespace stretto::ranks {
namespace {

const datatype& type_of_bytes() { return *predefined_type(0x247); }  // MPI_BYTE

std::vector<std::byte> bytes_of_error(error_class which) {
  const auto number = static_cast<std::int64_t>(which);
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

void send_reply(const window_channel& channel, int to, access_reply made) {
  if (made.in_window.bytes() == 0) return channel.send_kept(to, made.tag, std::move(made.bytes));
  channel.start_send_of(to, made.tag, made.in_window, std::move(made.type));
}

}  // namespace

void access_replies::send(const window_channel& channel) {
  const bool has_steps = steps.is_wanted;  // else the window may be freed after the data
  if (data.is_wanted) send_reply(channel, to, std::move(data));
  if (has_steps) send_reply(channel, to, std::move(steps));
}

access_replies arrived_access::perform(local_target& own, error_class& error) const {
  access_replies made;
  made.to = sender;
  made.data.tag = reply_tag(header.number);
  try {
    if (header.what != access_request::none && !is_in_place) made.data = perform_access(own);
  } catch (const call_error& failed) {
    error = failed.which();
    made.data.is_wanted = header.result_bytes > 0;
    made.data.bytes.resize(static_cast<std::size_t>(header.what == access_request::get ? 0 : header.result_bytes));
  }
  if (usage_observer::installed && header.has(access_step::unlock | access_step::report)) [[unlikely]]
    usage_observer::installed->ended_elsewhere(own.window, sender, own.rank);
  if (header.has(access_step::unlock)) own.release(rank);
  if (header.has_reply_to_steps()) made.steps = reply_to_steps(error);
  return made;
}

access_reply arrived_access::reply_to_steps(error_class& error) const {
  error_class reported = error_class::success;
  if (header.has(access_step::report)) reported = std::exchange(error, error_class::success);
  return {.tag = steps_tag(header.number),
          .bytes = bytes_of_error(reported),
          .in_window = {},
          .type = {},
          .is_wanted = true};
}

access_reply arrived_access::perform_access(local_target& own) const {
  // Where the lock is released before the reply is sent, the reply has a copy.
  const bool is_sent_from_window = header.what == access_request::get && !header.has(access_step::unlock);
  return is_sent_from_window ? perform_get(own) : perform_operation(own);
}

access_reply arrived_access::perform_get(local_target& own) const {
  return {.tag = reply_tag(header.number),
          .bytes = {},
          .in_window = {own.memory.address_of(place()), header.count, *type},
          .type = type,
          .is_wanted = true};
}

access_reply arrived_access::perform_operation(local_target& own) const {
  access_reply made{.tag = reply_tag(header.number), .bytes = {}, .in_window = {}, .type = {}};
  made.is_wanted = header.result_bytes > 0;
  made.bytes.resize(static_cast<std::size_t>(header.result_bytes));
  own.begin({.kind = static_cast<access_kind>(header.what),
             .origin = {const_cast<std::byte*>(data), header.data_bytes, &type_of_bytes()},
             .result = {made.bytes.data(), header.result_bytes, &type_of_bytes()},
             .target = place(),
             .operation = predefined_operation(header.operation),
             .expected = data + header.data_bytes / 2});
  return made;
}

}  // namespace stretto::ranks
