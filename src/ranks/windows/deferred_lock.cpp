#include "ranks/windows/deferred_lock.hpp"

#include <cstring>
#include <mutex>
#include <utility>

namespace stretto::ranks {
namespace {

request_owner shared_owner(request& one) {
  one.add_reference();
  return request_owner(&one);
}

access_header header_of(const std::vector<std::byte>& message) {
  access_header header;
  std::memcpy(&header, message.data(), sizeof header);
  return header;
}

}  // namespace

void deferred_lock::want(lock_mode mode) {
  const std::lock_guard guard(guard_);
  wanted_ = mode;
  is_pending_.store(true, std::memory_order_release);
}

bool deferred_lock::pass(std::vector<std::byte>& message, bool is_waited_for) {
  {
    const std::lock_guard guard(guard_);
    if (!wanted_ || held_) return false;
    held_ = std::move(message);
    if (!is_waited_for) return true;
  }
  ask();
  return true;
}

void deferred_lock::acquire(const std::source_location& where) {
  const request_owner reply = ask();
  if (!reply) return;
  wait_for(*reply, where);
  set_granted(*reply);
}

/// The reply to wait for; null if the rank has the lock.
request_owner deferred_lock::ask() {
  std::vector<std::byte> message;
  request_owner reply;
  {
    const std::lock_guard guard(guard_);
    if (wanted_) {
      message = locked_message(0);
      grant_ = receive_reply(message, grant_error_);
    }
    if (grant_) reply = shared_owner(*grant_);
  }
  if (!message.empty()) channel_.send_kept(rank_, header_tag, std::move(message));
  return reply;
}

/// Under the guard. The message that is held, or one without an access.
std::vector<std::byte> deferred_lock::locked_message(int more_steps) {
  const int lock = wanted_ == lock_mode::shared ? access_step::lock_shared : access_step::lock_exclusive;
  wanted_.reset();
  std::vector<std::byte> message(sizeof(access_header));
  access_header header;
  if (held_) {
    message = *std::exchange(held_, std::nullopt);
    header = header_of(message);
  } else {
    header.number = accesses_.fetch_add(1, std::memory_order_relaxed);
  }
  header.steps = static_cast<std::uint16_t>(header.steps | lock | more_steps);
  std::memcpy(message.data(), &header, sizeof header);
  return message;
}

request_owner deferred_lock::receive_reply(const std::vector<std::byte>& message, std::int64_t& error) {
  const int tag = steps_tag(header_of(message).number);
  return start_receive({channel_.own, channel_.from(rank_, tag), {&error, sizeof error}});
}

std::optional<request_owner> deferred_lock::send_held(int more_steps, std::int64_t& error) {
  std::vector<std::byte> message;
  request_owner reply;
  {
    const std::lock_guard guard(guard_);
    if (!wanted_ || !held_) return std::nullopt;
    message = locked_message(more_steps);
    const access_header header = header_of(message);
    if (header.has_reply_to_steps()) reply = receive_reply(message, error);
    if (header.has(access_step::unlock)) is_pending_.store(false, std::memory_order_release);
    else grant_ = shared_owner(*reply);
  }
  channel_.send_kept(rank_, header_tag, std::move(message));
  return reply;
}

bool deferred_lock::holds_access_with_result() {
  const std::lock_guard guard(guard_);
  return held_ && header_of(*held_).result_bytes > 0;
}

void deferred_lock::set_granted(const request& reply) {
  const std::lock_guard guard(guard_);
  if (grant_.get() != &reply) return;
  grant_.reset();
  is_pending_.store(false, std::memory_order_release);
}

bool deferred_lock::is_unsent() {
  const std::lock_guard guard(guard_);
  return wanted_ && !held_;
}

bool deferred_lock::end_unsent() {
  const std::lock_guard guard(guard_);
  if (!wanted_ || held_) return false;
  wanted_.reset();
  is_pending_.store(false, std::memory_order_release);
  return true;
}

}  // namespace stretto::ranks
