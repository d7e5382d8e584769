#include "ranks/windows/message_target.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/packed_data.hpp"
#include "ranks/windows/type_description.hpp"
#include "ranks/windows/window_update.hpp"

namespace stretto::ranks {
namespace {

access_request request_of(access_kind kind) { return static_cast<access_request>(kind); }
static_assert(static_cast<int>(access_request::compare_and_swap) == static_cast<int>(access_kind::compare_and_swap));

std::int64_t bytes_to_send(const window_operation& operation) {
  const std::int64_t bytes = operation.origin.bytes();
  return operation.kind == access_kind::compare_and_swap ? 2 * bytes : bytes;
}

/// The header, and what travels with it.
std::vector<std::byte> head_of(const access_header& header, const window_operation& operation,
                               const std::vector<std::int64_t>& description) {
  const std::int64_t type_bytes = header.has_type_with_it() ? header.type_bytes() : 0;
  const std::int64_t data_bytes = header.has_data_with_it() ? header.data_bytes : 0;
  std::vector<std::byte> head(static_cast<std::size_t>(access_header_bytes + type_bytes + data_bytes));
  std::memcpy(head.data(), &header, sizeof header);
  if (type_bytes > 0)
    std::memcpy(head.data() + sizeof header, description.data(), static_cast<std::size_t>(type_bytes));
  std::int64_t position = access_header_bytes + type_bytes;
  if (data_bytes == 0) return head;
  const origin_data& origin = operation.origin;
  pack(*origin.type, origin.memory, origin.count, head, position);
  if (operation.kind == access_kind::compare_and_swap) pack(*origin.type, operation.expected, 1, head, position);
  return head;
}

std::vector<std::byte> bytes_of_description(const std::vector<std::int64_t>& description) {
  const auto bytes = std::as_bytes(std::span(description));
  return {bytes.begin(), bytes.end()};
}

/// Throws what the target would.
void check_operation(const window_operation& operation) {
  if (operation.operation) element_update(*operation.operation, *operation.target.type);
}

}  // namespace

message_target::message_target(const window_channel& channel, int rank, const fixed_memory* memory)
    : channel_(channel), rank_(rank) {
  if (memory) memory_.set_fixed(*memory);
}

request_owner message_target::receive_reply(const data_part& into, std::int64_t number, datatype_ref type) {
  return start_receive({channel_.own, channel_.from(rank_, reply_tag(number)), into}, std::move(type));
}

void message_target::remember(request& one) {
  one.add_reference();
  const std::lock_guard guard(lock_);
  if (begun_.size() >= next_removal_) {
    std::erase_if(begun_, [](const request_owner& begun) { return begun->is_done(); });
    next_removal_ = std::max<std::size_t>(64, 2 * begun_.size());
  }
  begun_.emplace_back(&one);
}

access_header message_target::header_of(const window_operation& operation, std::size_t type_numbers) {
  return {.what = request_of(operation.kind),
          .operation = operation.operation ? static_cast<std::uint32_t>(operation.operation->which()) : 0,
          .displacement = operation.target.displacement,
          .count = operation.target.count,
          .type_numbers = static_cast<std::int64_t>(type_numbers),
          .data_bytes = bytes_to_send(operation),
          .result_bytes = operation.result.type ? operation.target.bytes() : 0,
          .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
}

request_owner message_target::begin(const window_operation& operation) {
  const target_place& place = operation.target;
  if (place.bytes() == 0) return nullptr;
  if (memory_.fixed()) memory_.address_of(place);
  check_operation(operation);
  const std::vector<std::int64_t> description = description_of(*place.type);
  const access_header header = header_of(operation, description.size());
  const origin_data& result = operation.result;
  request_owner reply;
  if (result.type) {
    reply = receive_reply({result.memory, result.count, *result.type}, header.number, datatype_ref(result.type));
    remember(*reply);
  }
  request_owner sent = send(header, operation, description);
  if (sent) remember(*sent);
  if (!reply || !memory_.fixed()) unconfirmed_.fetch_add(1, std::memory_order_acq_rel);
  return reply ? std::move(reply) : std::move(sent);
}

/// The request of data that the target receives from the origin's memory; null if none does.
request_owner message_target::send(const access_header& header, const window_operation& operation,
                                   const std::vector<std::int64_t>& description) {
  channel_.send_kept(rank_, header_tag, head_of(header, operation, description));
  if (!header.has_type_with_it()) channel_.send_kept(rank_, type_tag(header.number), bytes_of_description(description));
  if (header.has_data_with_it()) return nullptr;
  const origin_data& origin = operation.origin;
  return channel_.start_send_of(rank_, data_tag(header.number), {origin.memory, origin.count, *origin.type},
                                datatype_ref(origin.type));
}

void message_target::call_target(access_request what, const std::source_location& where) {
  const std::int64_t sent = unconfirmed_.load(std::memory_order_acquire);
  const access_header header{.what = what, .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
  std::int64_t error = 0;
  const request_owner reply = receive_reply({&error, sizeof error}, header.number, {});
  channel_.send_kept(rank_, header_tag, head_of(header, {}, {}));
  wait_for(*reply, where);
  if (what == access_request::flush || what == access_request::unlock) confirm(sent);
  const auto which = static_cast<error_class>(error);
  if (which != error_class::success)
    throw call_error(which,
                     "an access to rank " + std::to_string(rank_) + " failed there: " + std::string(text_of(which)));
}

void message_target::confirm(std::int64_t ended) {
  std::int64_t before = confirmed_.load(std::memory_order_relaxed);
  while (before < ended && !confirmed_.compare_exchange_weak(before, ended, std::memory_order_acq_rel)) {
  }
}

void message_target::wait_for_begun(const std::source_location& where) {
  std::vector<request_owner> begun;
  {
    const std::lock_guard guard(lock_);
    begun.swap(begun_);
  }
  for (const request_owner& one : begun) wait_for(*one, where);
}

/// Threads of the rank may flush at once: each waits for a reply of its own, or for none.
void message_target::flush(const std::source_location& where) {
  const std::int64_t sent = unconfirmed_.load(std::memory_order_acquire);
  wait_for_begun(where);
  if (confirmed_.load(std::memory_order_acquire) < sent) call_target(access_request::flush, where);
}

void message_target::lock(lock_mode mode, const std::source_location& where) {
  call_target(mode == lock_mode::shared ? access_request::lock_shared : access_request::lock_exclusive, where);
}

void message_target::unlock(const std::source_location& where) {
  wait_for_begun(where);
  call_target(access_request::unlock, where);
}

}  // namespace stretto::ranks
