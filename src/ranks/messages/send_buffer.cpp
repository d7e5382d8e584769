// send_buffer.cpp - counts the bytes of buffered messages.
#include "ranks/messages/send_buffer.hpp"

#include <mutex>
#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

void keep_buffer_wait(completion&) noexcept {}
std::string describe_buffer_wait(const completion&) { return "the receives of all buffered messages"; }

constexpr request_kind buffer_wait_kind{{keep_buffer_wait, describe_buffer_wait}};

}  // namespace

void send_buffer::attach(void* memory, std::int64_t bytes) {
  const std::scoped_lock lock(lock_);
  if (is_attached_) throw call_error(error_class::buffer, "a buffer is attached already");
  memory_ = memory;
  capacity_ = bytes;
  is_attached_ = true;
}

void send_buffer::flush(const std::source_location& where) {
  request emptied(buffer_wait_kind);
  {
    const std::scoped_lock lock(lock_);
    if (used_ == 0) return;
    emptied.activate();
    waits_ = &emptied;
  }
  wait_for(emptied, where);
}

std::pair<void*, std::int64_t> send_buffer::detach(const std::source_location& where) {
  flush(where);
  const std::scoped_lock lock(lock_);
  if (!is_attached_) throw call_error(error_class::buffer, "no buffer is attached");
  is_attached_ = false;
  return {std::exchange(memory_, nullptr), std::exchange(capacity_, 0)};
}

void send_buffer::reserve(std::int64_t bytes) {
  const std::scoped_lock lock(lock_);
  if (bytes + overhead > capacity_ - used_) {
    throw call_error(error_class::buffer, is_attached_ ? "the message needs " + std::to_string(bytes + overhead) +
                                                             " bytes of the attached buffer, of whose " +
                                                             std::to_string(capacity_) + " bytes " +
                                                             std::to_string(capacity_ - used_) + " are free"
                                                       : "no buffer is attached");
  }
  used_ += bytes + overhead;
}

void send_buffer::release(std::int64_t bytes) noexcept {
  request* emptied = nullptr;
  {
    const std::scoped_lock lock(lock_);
    used_ -= bytes + overhead;
    if (used_ == 0) emptied = std::exchange(waits_, nullptr);
  }
  if (emptied) emptied->end();
}

}  // namespace stretto::ranks
