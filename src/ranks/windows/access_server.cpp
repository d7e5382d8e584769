#include "ranks/windows/access_server.hpp"

#include <cstring>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/messages/usage_observer.hpp"
#include "ranks/special_ranks.hpp"
#include "ranks/windows/type_description.hpp"

namespace stretto::ranks {
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
    const window_channel& channel = channel_;  // the window may be freed after the last reply
    local_target& own = own_;
    std::unique_ptr<locking_access> waits = header_->has_lock() ? locking() : nullptr;
    access_replies made;
    if (header_->what == access_request::description) show_description();
    else if (!waits) made = arrived().perform(own, error_of_sender());
    receive_header();
    const bool is_over = has_to_wait();
    if (waits) locking_access::begin(std::move(waits), channel, own);
    else if (made.is_any_wanted()) made.send(channel);
    if (is_over) return;
  }
}

arrived_access access_server::arrived() const {
  const std::byte* const with_header = head_ + access_header_bytes + header_->type_bytes();
  const std::byte* const data = header_->has_data_with_it() ? with_header : data_.data();
  return {*header_, sender_, rank_of_sender(), data, type_, is_in_place_};
}

/// All of it is in the message.
void access_server::show_description() const {
  if (usage_observer::installed)
    usage_observer::installed->accessed_elsewhere(
        own_.window, {head_ + access_header_bytes, static_cast<std::size_t>(header_->data_bytes)});
}

world_rank access_server::rank_of_sender() const {
  const remote_peer* const sender = channel_.peers[static_cast<std::size_t>(sender_)].remote;
  return sender ? sender->number() : world_rank{no_rank};
}

/// All of it is in the message.
std::unique_ptr<locking_access> access_server::locking() {
  std::vector<std::byte> head(head_, head_ + access_header_bytes + header_->type_bytes() + header_->data_bytes);
  return std::make_unique<locking_access>(arrived(), std::move(head), error_of_sender());
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
      error_of_sender() = error.which();
    }
  data_.resize(static_cast<std::size_t>(header_->data_bytes));
  return {data_.data(), header_->data_bytes};
}

}  // namespace stretto::ranks
