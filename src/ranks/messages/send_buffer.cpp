// send_buffer.cpp - counts the bytes of buffered messages.
#include "ranks/messages/send_buffer.hpp"

#include <mutex>
#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

void keep_buffer_wait(completion&) noexcept {}
std::string describe_buffer_wait(const completion&) { return "the receives of all buffered messages"; }

void delete_buffer_wait(completion& one) noexcept { delete &static_cast<request&>(one); }

constexpr request_kind buffer_wait_kind{{keep_buffer_wait, describe_buffer_wait}};
constexpr request_kind flush_kind{{delete_buffer_wait, describe_buffer_wait}};

}  // namespace

void send_buffer::attach(void* memory, std::int64_t bytes) {
  const std::scoped_lock lock(lock_);
  if (is_attached_) throw call_error(error_class::buffer, "a buffer is attached already");
  memory_ = memory;
  capacity_ = reinterpret_cast<std::uintptr_t>(memory) == automatic ? unlimited : bytes;
  is_attached_ = true;
}

void send_buffer::flush(const std::source_location& where) {
  request emptied(buffer_wait_kind);
  if (add_wait(emptied)) wait_for(emptied, where);
}

/// False if nothing is used; the request is active in any case.
bool send_buffer::add_wait(request& emptied) {
  const std::scoped_lock lock(lock_);
  if (used_ == 0) {
    emptied.activate_done();
    return false;
  }
  waits_.push_back(&emptied);
  emptied.activate();
  return true;
}

request_owner send_buffer::start_flush() {
  request_owner emptied(new request(flush_kind));
  add_wait(*emptied);
  return emptied;
}

bool send_buffer::is_attached() const {
  const std::scoped_lock lock(lock_);
  return is_attached_;
}

std::pair<void*, std::int64_t> send_buffer::detach(const std::source_location& where) {
  flush(where);
  const std::scoped_lock lock(lock_);
  if (!is_attached_) throw call_error(error_class::buffer, "no buffer is attached");
  is_attached_ = false;
  const std::int64_t bytes = std::exchange(capacity_, 0);
  return {std::exchange(memory_, nullptr), bytes == unlimited ? 0 : bytes};
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
  std::vector<request*> emptied;
  {
    const std::scoped_lock lock(lock_);
    used_ -= bytes + overhead;
    if (used_ == 0) emptied.swap(waits_);
  }
  for (request* const one : emptied) one->end();
}

}  // namespace stretto::ranks
