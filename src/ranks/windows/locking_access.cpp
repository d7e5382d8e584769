#include "ranks/windows/locking_access.hpp"

#include <utility>

namespace stretto::ranks {
namespace {

const access_header& header_in(const std::vector<std::byte>& head) {
  return *reinterpret_cast<const access_header*>(head.data());
}

lock_mode mode_of(const access_header& header) {
  return header.has(access_step::lock_exclusive) ? lock_mode::exclusive : lock_mode::shared;
}

}  // namespace

locking_access::locking_access(const arrived_access& made, std::vector<std::byte> head, error_class& error)
    : head_(std::move(head)),
      access_{.header = header_in(head_),
              .sender = made.sender,
              .data = head_.data() + access_header_bytes + made.header.type_bytes(),
              .type = made.type},
      error_(error),
      request_(mode_of(access_.header)) {
  fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
    static_cast<locking_access&>(link).perform();
  };
}

void locking_access::begin(std::unique_ptr<locking_access> one, const window_channel& channel, local_target& own) {
  locking_access& begun = *one.release();
  begun.channel_ = &channel;
  begun.own_ = &own;
  own.queue().acquire(begun.request_);
  if (!begun.request_.subscribe(begun)) begun.perform();
}

void locking_access::perform() {
  const std::unique_ptr<locking_access> own_end(this);
  access_replies made = access_.perform(*own_, error_);
  made.send(*channel_);
}

}  // namespace stretto::ranks
