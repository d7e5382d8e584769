#include "ranks/windows/locking_access.hpp"

#include <mutex>
#include <utility>

namespace stretto::ranks {
namespace {

const access_header& header_in(const std::vector<std::byte>& head) {
  return *reinterpret_cast<const access_header*>(head.data());
}

lock_mode mode_of(const access_header& header) {
  return header.has(access_step::lock_exclusive) ? lock_mode::exclusive : lock_mode::shared;
}

struct waiting_requests {
  std::mutex mutex;
  std::vector<const lock_request*> all;
};

waiting_requests& all_waiting() {
  static auto* const state = new waiting_requests;  // accesses may outlive static objects
  return *state;
}

}  // namespace

locking_access::locking_access(const arrived_access& made, std::vector<std::byte> head, error_class& error)
    : head_(std::move(head)),
      access_{.header = header_in(head_),
              .sender = made.sender,
              .rank = made.rank,
              .data = head_.data() + access_header_bytes + made.header.type_bytes(),
              .type = made.type},
      error_(error),
      request_(mode_of(access_.header), made.rank) {
  fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
    static_cast<locking_access&>(link).perform();
  };
}

void locking_access::begin(std::unique_ptr<locking_access> one, const window_channel& channel, local_target& own) {
  locking_access& begun = *one.release();
  begun.channel_ = &channel;
  begun.own_ = &own;
  own.queue().acquire(begun.request_);
  begun.waits_ = !begun.request_.is_done();
  if (begun.waits_) {
    const std::lock_guard lock(all_waiting().mutex);
    all_waiting().all.push_back(&begun.request_);
  }
  if (!begun.request_.subscribe(begun)) begun.perform();
}

std::vector<const lock_request*> locking_access::waiting() {
  const std::lock_guard lock(all_waiting().mutex);
  return all_waiting().all;
}

void locking_access::perform() {
  const std::unique_ptr<locking_access> own_end(this);
  if (waits_) {
    const std::lock_guard lock(all_waiting().mutex);
    std::erase(all_waiting().all, &request_);
  }
  access_replies made = access_.perform(*own_, error_);
  made.send(*channel_);
}

}  // namespace stretto::ranks
