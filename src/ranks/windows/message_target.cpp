#include "ranks/windows/message_target.hpp"

#include <cstring>
#include <mutex>
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

std::vector<std::byte> payload_of(const window_operation& operation, const std::vector<std::int64_t>& description) {
  const std::size_t type_bytes = description.size() * sizeof(std::int64_t);
  std::vector<std::byte> payload(type_bytes + static_cast<std::size_t>(bytes_to_send(operation)));
  std::memcpy(payload.data(), description.data(), type_bytes);
  auto position = static_cast<std::int64_t>(type_bytes);
  const origin_data& origin = operation.origin;
  if (origin.type) pack(*origin.type, origin.memory, origin.count, payload, position);
  if (operation.kind == access_kind::compare_and_swap) pack(*origin.type, operation.expected, 1, payload, position);
  return payload;
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

request_owner message_target::begin(const window_operation& operation) {
  const target_place& place = operation.target;
  if (place.bytes() == 0) return nullptr;
  if (memory_.fixed()) memory_.address_of(place);
  check_operation(operation);
  const std::vector<std::int64_t> description = description_of(*place.type);
  const origin_data& result = operation.result;
  const access_header header{
      .what = request_of(operation.kind),
      .operation = operation.operation ? static_cast<std::uint32_t>(operation.operation->which()) : 0,
      .displacement = place.displacement,
      .count = place.count,
      .type_numbers = std::ssize(description),
      .data_bytes = bytes_to_send(operation),
      .result_bytes = result.type ? place.bytes() : 0,
      .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
  request_owner reply;
  if (result.type) {
    reply = receive_reply({result.memory, result.count, *result.type}, header.number, datatype_ref(result.type));
    reply->add_reference();
    const std::lock_guard guard(lock_);
    results_.emplace_back(reply.get());
  }
  channel_.send_access(rank_, header, payload_of(operation, description));
  return reply;
}

void message_target::call_target(access_request what, const std::source_location& where) {
  const access_header header{.what = what, .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
  std::int64_t error = 0;
  const request_owner reply = receive_reply({&error, sizeof error}, header.number, {});
  channel_.send_access(rank_, header, {});
  wait_for(*reply, where);
  const auto which = static_cast<error_class>(error);
  if (which != error_class::success)
    throw call_error(which,
                     "an access to rank " + std::to_string(rank_) + " failed there: " + std::string(text_of(which)));
}

void message_target::wait_for_results(const std::source_location& where) {
  std::vector<request_owner> results;
  {
    const std::lock_guard guard(lock_);
    results = std::move(results_);
    results_.clear();
  }
  for (const request_owner& one : results) wait_for(*one, where);
}

void message_target::flush(const std::source_location& where) {
  wait_for_results(where);
  call_target(access_request::flush, where);
}

void message_target::lock(lock_mode mode, const std::source_location& where) {
  call_target(mode == lock_mode::shared ? access_request::lock_shared : access_request::lock_exclusive, where);
}

void message_target::unlock(const std::source_location& where) {
  wait_for_results(where);
  call_target(access_request::unlock, where);
}

}  // namespace stretto::ranks
