#include "ranks/windows/message_target.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
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
    : channel_(channel), rank_(rank), locking_(channel, rank, accesses_) {
  if (memory) memory_.set_fixed(*memory);
}

/// Has the target report errors, and shows that accesses have ended.
class message_target::call final : public target_call {
 public:
  call(message_target& target, std::int64_t ended) : target_(target), ended_(ended) {}

  std::int64_t& error() { return error_; }
  void set_reply(request_owner reply) { reply_ = std::move(reply); }
  void wait(const std::source_location& where) override;

 private:
  message_target& target_;
  const std::int64_t ended_;  // so many unconfirmed operations, once the reply has come
  request_owner reply_;       // null: all accesses have replies of their own
  std::int64_t error_ = 0;
};

void message_target::call::wait(const std::source_location& where) {
  target_.wait_for_begun(where);
  if (!reply_) return;
  wait_for(*reply_, where);
  target_.confirm(ended_);
  const auto which = static_cast<error_class>(error_);
  if (which == error_class::success) return;
  const std::string rank = std::to_string(target_.rank_);
  throw call_error(which, "an access to rank " + rank + " failed there: " + std::string(text_of(which)));
}

request_owner message_target::receive_reply(const data_part& into, int tag, datatype_ref type) {
  return start_receive({channel_.own, channel_.from(rank_, tag), into}, std::move(type));
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

/// It counts as an operation without a reply, so that a flush waits until the target's node has it.
void message_target::describe(std::span<const std::byte> operation) {
  const access_header header{.what = access_request::description,
                             .data_bytes = std::ssize(operation),
                             .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
  std::vector<std::byte> message(sizeof header + operation.size());
  std::memcpy(message.data(), &header, sizeof header);
  std::ranges::copy(operation, message.begin() + sizeof header);
  channel_.send_kept(rank_, header_tag, std::move(message));
  unconfirmed_.fetch_add(1, std::memory_order_acq_rel);
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
    const data_part into(result.memory, result.count, *result.type);
    reply = receive_reply(into, reply_tag(header.number), datatype_ref(result.type));
    remember(*reply);
  }
  const bool has_passed = locking_.is_pending() && pass_to_lock(header, operation, description);
  request_owner sent = has_passed ? nullptr : send(header, operation, description);
  if (sent) remember(*sent);
  if (!reply || !memory_.fixed()) unconfirmed_.fetch_add(1, std::memory_order_acq_rel);
  return reply ? std::move(reply) : std::move(sent);
}

bool message_target::pass_to_lock(const access_header& header, const window_operation& operation,
                                  const std::vector<std::int64_t>& description) {
  const bool is_short =
      header.has_type_with_it() && header.has_data_with_it() && header.result_bytes <= short_access_bytes;
  if (is_short) {
    std::vector<std::byte> message = head_of(header, operation, description);
    if (locking_.pass(message, operation.is_waited_for)) return true;
  }
  locking_.acquire(std::source_location::current());
  return false;
}

request_owner message_target::send(const access_header& header, const window_operation& operation,
                                   const std::vector<std::int64_t>& description) {
  channel_.send_kept(rank_, header_tag, head_of(header, operation, description));
  if (!header.has_type_with_it()) channel_.send_kept(rank_, type_tag(header.number), bytes_of_description(description));
  if (header.has_data_with_it()) return nullptr;
  const origin_data& origin = operation.origin;
  return channel_.start_send_of(rank_, data_tag(header.number), {origin.memory, origin.count, *origin.type},
                                datatype_ref(origin.type));
}

target_call_owner message_target::call_target(int steps) {
  auto made = std::make_unique<call>(*this, unconfirmed_.load(std::memory_order_acquire));
  const access_header header{.steps = static_cast<std::uint16_t>(steps),
                             .number = accesses_.fetch_add(1, std::memory_order_relaxed)};
  made->set_reply(receive_reply({&made->error(), sizeof made->error()}, steps_tag(header.number)));
  channel_.send_kept(rank_, header_tag, head_of(header, {}, {}));
  return made;
}

void message_target::confirm(std::int64_t ended) {
  std::int64_t before = confirmed_.load(std::memory_order_relaxed);
  while (before < ended && !confirmed_.compare_exchange_weak(before, ended, std::memory_order_acq_rel)) {
  }
}

bool message_target::has_begun() {
  const std::lock_guard guard(lock_);
  return !begun_.empty();
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
target_call_owner message_target::start_flush(const std::source_location& where) {
  auto made = std::make_unique<call>(*this, unconfirmed_.load(std::memory_order_acquire));
  if (locking_.is_pending()) {
    if (auto reply = locking_.send_held(access_step::report, made->error())) {
      made->set_reply(std::move(*reply));
      return made;
    }
    if (!locking_.is_unsent()) locking_.acquire(where);
  }
  if (confirmed_.load(std::memory_order_acquire) < unconfirmed_.load(std::memory_order_acquire))
    return call_target(access_step::report);
  return has_begun() ? std::move(made) : nullptr;
}

void message_target::lock(lock_mode mode, const std::source_location&) { locking_.want(mode); }

void message_target::acquire(const std::source_location& where) {
  if (locking_.is_pending()) locking_.acquire(where);
}

target_call_owner message_target::start_unlock(const std::source_location& where) {
  if (locking_.is_pending()) {
    if (locking_.end_unsent()) return start_flush(where);
    auto made = std::make_unique<call>(*this, unconfirmed_.load(std::memory_order_acquire));
    const bool has_reply = memory_.fixed() && locking_.holds_access_with_result();
    const int steps = has_reply ? access_step::unlock : access_step::unlock | access_step::report;
    if (auto reply = locking_.send_held(steps, made->error())) {
      made->set_reply(std::move(*reply));
      return made;
    }
    locking_.acquire(where);
  }
  wait_for_begun(where);  // the target reads its memory under the lock
  return call_target(access_step::unlock | access_step::report);
}

}  // namespace stretto::ranks
