#include "ranks/messages/device_message.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "ranks/datatypes/device_copies.hpp"
#include "ranks/messages/shared_copy.hpp"

namespace stretto::ranks {

namespace {

struct device_message {
  message_request& receive;
  std::function<void(error_class)> then;
  device_copies copies = {};

  void end(bool has_failed) {
    if (has_failed) receive.status.error = error_class::other;
    end_message(receive);
    then(has_failed ? error_class::other : error_class::success);
  }
};

}  // namespace

message_status status_of_copy(const message_request& receive, envelope message, const data_part& data) {
  const std::int64_t bytes = std::min(receive.data.bytes(), data.bytes());
  const error_class error = data.bytes() > bytes ? error_class::truncate : error_class::success;
  return {message.source(), message.tag(), error, false, bytes, data.bytes()};
}

void start_device_message(message_request& receive, envelope message, const data_part& data,
                          std::function<void(error_class)> then) {
  receive.status = status_of_copy(receive, message, data);
  std::unique_ptr<device_message> one(new device_message{receive, std::move(then)});
  try {
    add_copies(one->copies, receive.data, data);
  } catch (...) {
    return one->end(true);
  }
  device_message& started = *one.release();
  started.copies.start([&started](const std::exception_ptr& failure) {
    const std::unique_ptr<device_message> ended(&started);
    ended->end(failure != nullptr);
  });
}

std::function<void(error_class)> end_of_send(message_request& send) {
  return [&send](error_class error) {
    if (error != error_class::success) send.status.error = error;
    end_message(send);
  };
}

}  // namespace stretto::ranks
