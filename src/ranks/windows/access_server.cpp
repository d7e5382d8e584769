#include "ranks/windows/access_server.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/windows/type_description.hpp"

namespace stretto::ranks {
namespace {

const datatype& type_of_payload() { return *predefined_type(0x247); }  // MPI_BYTE

std::vector<std::byte> bytes_of_error(error_class which) {
  const auto number = static_cast<std::int64_t>(which);
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

}  // namespace

/// A lock that a rank of another node waits for: the reply is sent when it has the lock.
struct access_server::waiting_lock : waiter {
  waiting_lock(const window_channel& over, int rank, int reply_with, lock_mode mode)
      : channel(over), to(rank), tag(reply_with), request(mode) {
    fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
      static_cast<waiting_lock&>(link).grant();
    };
  }
  void grant() {
    channel.send_kept(to, tag, bytes_of_error(error_class::success));
    delete this;
  }

  const window_channel& channel;
  const int to, tag;
  lock_request request;
};

access_server::access_server(const window_channel& channel, local_target& own)
    : channel_(channel), own_(own), errors_(channel.peers.size(), error_class::success) {
  link_.of = this;
  link_.fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
    static_cast<serving&>(link).of->serve();
  };
}

void access_server::start() {
  receive_header();
  if (!has_to_wait()) serve();
}

void access_server::stop() { cancel(*received_); }

void access_server::receive_header() {
  awaited_ = awaited::header;
  received_ = start_receive({channel_.own, channel_.from(any_source, header_tag), {&header_, sizeof header_}});
}

void access_server::receive_payload() {
  awaited_ = awaited::payload;
  received_ = start_receive({channel_.own,
                             channel_.from(sender_, payload_tag(header_.number)),
                             {payload_.data(), static_cast<std::int64_t>(payload_.size())}});
}

void access_server::serve() {
  for (;;) {
    if (awaited_ == awaited::header) {
      if (received_->status.is_cancelled) return;
      sender_ = received_->status.source;
      payload_.resize(static_cast<std::size_t>(header_.payload_bytes()));
      if (!payload_.empty()) {
        receive_payload();
        if (has_to_wait()) return;
        continue;
      }
    }
    const window_channel& channel = channel_;  // the window may be gone after the reply
    reply made = perform();
    receive_header();
    const bool is_over = has_to_wait();
    if (made.is_wanted) channel.send_kept(made.to, made.tag, std::move(made.bytes));
    if (is_over) return;
  }
}

access_server::reply access_server::perform() {
  switch (header_.what) {
    case access_request::flush: return report_errors();
    case access_request::unlock: own_.unlock(std::source_location::current()); return report_errors();
    case access_request::lock_shared: take_lock(lock_mode::shared); return {};
    case access_request::lock_exclusive: take_lock(lock_mode::exclusive); return {};
    default: return perform_operation();
  }
}

access_server::reply access_server::report_errors() {
  error_class& error = errors_[static_cast<std::size_t>(sender_)];
  return {sender_, reply_tag(header_.number), bytes_of_error(std::exchange(error, error_class::success)), true};
}

void access_server::take_lock(lock_mode mode) {
  auto* const one = new waiting_lock(channel_, sender_, reply_tag(header_.number), mode);
  own_.queue().acquire(one->request);
  if (!one->request.subscribe(*one)) one->grant();
}

access_server::reply access_server::perform_operation() {
  std::vector<std::int64_t> description(static_cast<std::size_t>(header_.type_numbers));
  const std::size_t type_bytes = description.size() * sizeof(std::int64_t);
  std::memcpy(description.data(), payload_.data(), type_bytes);
  const datatype_ref type = described_type(description);
  reply made{sender_, reply_tag(header_.number), std::vector<std::byte>(static_cast<std::size_t>(header_.result_bytes)),
             header_.result_bytes > 0};
  window_operation operation{.kind = static_cast<access_kind>(header_.what),
                             .origin = {payload_.data() + type_bytes, header_.data_bytes, &type_of_payload()},
                             .result = {made.bytes.data(), header_.result_bytes, &type_of_payload()},
                             .target = {header_.displacement, header_.count, type.get()},
                             .operation = predefined_operation(header_.operation),
                             .expected = payload_.data() + type_bytes + header_.data_bytes / 2};
  try {
    own_.begin(operation);
  } catch (const call_error& error) {
    errors_[static_cast<std::size_t>(sender_)] = error.which();
  }
  return made;
}

}  // namespace stretto::ranks
