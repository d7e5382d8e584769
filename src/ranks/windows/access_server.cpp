#include "ranks/windows/access_server.hpp"

#include <cstring>
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

void access_server::serve() {
  for (;;) {
    if (awaited_ == access_part::header && received_->status.is_cancelled) return;
    if (receive_next_part()) {
      if (has_to_wait()) return;
      continue;
    }
    const window_channel& channel = channel_;  // the window may be gone after the reply
    reply made = perform();
    receive_header();
    const bool is_over = has_to_wait();
    if (made.is_wanted) send(channel, std::move(made));
    if (is_over) return;
  }
}

void access_server::receive(access_part part, int source, int tag, const data_part& into) {
  awaited_ = part;
  received_ = start_receive({channel_.own, channel_.from(source, tag), into});
}

void access_server::receive_header() {
  receive(access_part::header, any_source, header_tag, {head_, short_access_bytes});
}

bool access_server::receive_next_part() {
  if (awaited_ == access_part::header) {
    sender_ = received_->status.source;
    is_in_place_ = false;
    if (!header_->has_type_with_it()) {
      data_.resize(static_cast<std::size_t>(header_->type_bytes()));
      receive(access_part::type, sender_, type_tag(header_->number), {data_.data(), std::ssize(data_)});
      return true;
    }
  }
  if (awaited_ != access_part::data && header_->type_numbers > 0) {
    read_type(header_->has_type_with_it() ? head_ + access_header_bytes : data_.data());
    if (!header_->has_data_with_it()) {
      receive(access_part::data, sender_, data_tag(header_->number), place_for_data());
      return true;
    }
  }
  return false;
}

/// Most accesses of a program have the type of the one before.
void access_server::read_type(const std::byte* numbers) {
  std::vector<std::int64_t> description(static_cast<std::size_t>(header_->type_numbers));
  std::memcpy(description.data(), numbers, static_cast<std::size_t>(header_->type_bytes()));
  if (description == numbers_) return;
  type_ = described_type(description);
  numbers_ = std::move(description);
}

/// Data that a put may not write is dropped.
data_part access_server::place_for_data() {
  if (header_->what == access_request::put) try {
      is_in_place_ = true;
      return {own_.memory.address_of(place()), header_->count, *type_};
    } catch (const call_error& error) {
      note(error);
    }
  data_.resize(static_cast<std::size_t>(header_->data_bytes));
  return {data_.data(), header_->data_bytes};
}

void access_server::note(const call_error& error) { errors_[static_cast<std::size_t>(sender_)] = error.which(); }

access_server::reply access_server::empty_reply() const {
  return {.to = sender_, .tag = reply_tag(header_->number), .bytes = {}, .in_window = {}, .type = {}};
}

access_server::reply access_server::perform() {
  switch (header_->what) {
    case access_request::flush: return report_errors();
    case access_request::unlock: own_.unlock(std::source_location::current()); return report_errors();
    case access_request::lock_shared: take_lock(lock_mode::shared); return {};
    case access_request::lock_exclusive: take_lock(lock_mode::exclusive); return {};
    case access_request::get: return perform_get();
    default: return is_in_place_ ? reply() : perform_operation();
  }
}

access_server::reply access_server::report_errors() {
  reply made = empty_reply();
  made.is_wanted = true;
  error_class& error = errors_[static_cast<std::size_t>(sender_)];
  made.bytes = bytes_of_error(std::exchange(error, error_class::success));
  return made;
}

void access_server::take_lock(lock_mode mode) {
  auto* const one = new waiting_lock(channel_, sender_, reply_tag(header_->number), mode);
  own_.queue().acquire(one->request);
  if (!one->request.subscribe(*one)) one->grant();
}

access_server::reply access_server::perform_get() {
  reply made = empty_reply();
  made.is_wanted = true;
  try {
    made.in_window = {own_.memory.address_of(place()), header_->count, *type_};
    made.type = type_;
  } catch (const call_error& error) {
    note(error);
  }
  return made;
}

access_server::reply access_server::perform_operation() {
  reply made = empty_reply();
  made.is_wanted = header_->result_bytes > 0;
  made.bytes.resize(static_cast<std::size_t>(header_->result_bytes));
  std::byte* const data =
      header_->has_data_with_it() ? head_ + access_header_bytes + header_->type_bytes() : data_.data();
  window_operation operation{.kind = static_cast<access_kind>(header_->what),
                             .origin = {data, header_->data_bytes, &type_of_payload()},
                             .result = {made.bytes.data(), header_->result_bytes, &type_of_payload()},
                             .target = place(),
                             .operation = predefined_operation(header_->operation),
                             .expected = data + header_->data_bytes / 2};
  try {
    own_.begin(operation);
  } catch (const call_error& error) {
    note(error);
  }
  return made;
}

void access_server::send(const window_channel& channel, reply made) {
  if (made.in_window.bytes() == 0) return channel.send_kept(made.to, made.tag, std::move(made.bytes));
  channel.start_send_of(made.to, made.tag, made.in_window, std::move(made.type));
}

}  // namespace stretto::ranks
