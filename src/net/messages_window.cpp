#include "net/messages_window.hpp"

#include <cstring>
#include <string>
#include <utility>

namespace stretto::net {
namespace {

constexpr const char* put_name = "window.put";
constexpr const char* put_done_name = "window.put_done";
constexpr const char* get_name = "window.get";
constexpr const char* got_name = "window.got";

/// The completion of a send; frees itself. Nothing waits for it: the reply ends the access.
struct sent final : places::completion {
  sent() noexcept : completion([](places::work_item& self) noexcept { delete static_cast<sent*>(&self); }) {}
};

}  // namespace

/// Runs when the data of a put has landed: sends put_done to the requesting node.
struct messages_window::put_landing final : places::completion {
  put_landing(messages_window& w, node_number from, const access_request& a) noexcept
      : completion(landed), of(w), requester(from), is(a) {}
  static void landed(places::work_item& self) noexcept {
    const auto kept = std::unique_ptr<put_landing>(static_cast<put_landing*>(&self));
    if (!kept->failure) kept->of.send(kept->requester, put_done_name, kept->is, {}, nullptr);
  }
  messages_window& of;
  const node_number requester;
  const access_request is;
};

messages_window::messages_window(handlers& all) : handlers_(all) {
  const auto add = [&]<auto f>(const char* name) {
    all.add(name, this, +[](void* self, arrival& a) { (static_cast<messages_window*>(self)->*f)(a); });
  };
  add.operator()<&messages_window::on_put>(put_name);
  add.operator()<&messages_window::on_put_done>(put_done_name);
  add.operator()<&messages_window::on_get>(get_name);
  add.operator()<&messages_window::on_got>(got_name);
}

void messages_window::open(transport& over, std::uint64_t bytes) {
  memory_ = std::make_unique<mapped_memory>(bytes);
  net_ = &over;
}

std::uint64_t messages_window::add_pending(pending_access a) {
  const std::scoped_lock lock(lock_);
  pending_.emplace(++numbers_, a);
  return numbers_;
}

places::completion* messages_window::take_pending(std::uint64_t number, std::byte** target) {
  const std::scoped_lock lock(lock_);
  const auto found = pending_.find(number);
  if (found == pending_.end()) return nullptr;
  if (target) *target = found->second.target;
  places::completion* const done = found->second.done;
  pending_.erase(found);
  return done;
}

void messages_window::send(node_number to, const char* name, const access_request& head,
                           std::span<const std::byte> payload, places::completion* sent) {
  net_->send({to, handlers_.number(name), std::as_bytes(std::span(&head, 1)), payload, sent});
}

void messages_window::put(node_number to, std::uint64_t offset, std::span<const std::byte> from,
                          places::completion& done) {
  const access_request head{add_pending({to, nullptr, &done}), offset, from.size()};
  send(to, put_name, head, from, new sent);
}

void messages_window::get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) {
  send(from, get_name, {add_pending({from, into.data(), &done}), offset, into.size()}, {}, nullptr);
}

void messages_window::on_put(arrival& a) {
  access_request is;
  std::memcpy(&is, a.head.data(), sizeof is);
  std::move(a.rest).receive(memory_->data() + is.offset, *new put_landing(*this, a.from, is));
}

void messages_window::on_put_done(arrival& a) {
  access_request is;
  std::memcpy(&is, a.head.data(), sizeof is);
  if (places::completion* const done = take_pending(is.number)) end(*done);
}

void messages_window::on_get(arrival& a) {
  access_request is;
  std::memcpy(&is, a.head.data(), sizeof is);
  send(a.from, got_name, is, {memory_->data() + is.offset, is.bytes}, new sent);
}

void messages_window::on_got(arrival& a) {
  access_request is;
  std::memcpy(&is, a.head.data(), sizeof is);
  std::byte* target = nullptr;
  if (places::completion* const done = take_pending(is.number, &target)) std::move(a.rest).receive(target, *done);
}

}  // namespace stretto::net
