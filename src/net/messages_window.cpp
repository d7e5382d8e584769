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

std::optional<messages_window::access_request> messages_window::head_of(const arrival& a) noexcept {
  access_request is;
  if (a.head.size() != sizeof is) return {};
  std::memcpy(&is, a.head.data(), sizeof is);
  return is;
}

messages_window::messages_window(handlers& all) : handlers_(all) {
  const auto add = [&]<auto f>(const char* name) {
    all.add(name, this, +[](void* self, arrival& a) { (static_cast<messages_window*>(self)->*f)(a); });
  };
  add.operator()<&messages_window::on_put>(put_name);
  add.operator()<&messages_window::on_reply>(put_done_name);
  add.operator()<&messages_window::on_get>(get_name);
  add.operator()<&messages_window::on_reply>(got_name);
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

std::optional<messages_window::pending_access> messages_window::take_pending(const arrival& reply) {
  const auto is = head_of(reply);
  if (!is) return {};
  const std::scoped_lock lock(lock_);
  const auto found = pending_.find(is->number);
  if (found == pending_.end()) return {};
  const pending_access a = found->second;
  if (a.of != reply.from || a.into.size() != reply.rest.bytes()) return {};
  pending_.erase(found);
  return a;
}

std::optional<std::span<std::byte>> messages_window::part(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  const std::uint64_t all = this->bytes();
  if (!memory_ || offset > all || bytes > all - offset) return {};
  return std::span(memory_->data() + offset, bytes);
}

void messages_window::send(node_number to, const char* name, const access_request& head,
                           std::span<const std::byte> payload, places::completion* sent) {
  net_->send({to, handlers_.number(name), std::as_bytes(std::span(&head, 1)), payload, sent});
}

void messages_window::put(node_number to, std::uint64_t offset, std::span<const std::byte> from,
                          places::completion& done) {
  const access_request head{add_pending({to, {}, &done}), offset, from.size()};
  send(to, put_name, head, from, new sent);
}

void messages_window::get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) {
  send(from, get_name, {add_pending({from, into, &done}), offset, into.size()}, {}, nullptr);
}

void messages_window::on_put(arrival& a) {
  const auto is = head_of(a);
  const auto target = is ? part(is->offset, a.rest.bytes()) : std::nullopt;
  if (!target) return void(a.is_malformed = true);
  std::move(a.rest).receive(target->data(), *new put_landing(*this, a.from, *is));
}

void messages_window::on_get(arrival& a) {
  const auto is = head_of(a);
  const auto source = is ? part(is->offset, is->bytes) : std::nullopt;
  if (!source) return void(a.is_malformed = true);
  send(a.from, got_name, *is, *source, new sent);
}

void messages_window::on_reply(arrival& a) {
  const auto ended = take_pending(a);
  if (!ended) return void(a.is_malformed = true);
  std::move(a.rest).receive(ended->into.data(), *ended->done);
}

}  // namespace stretto::net
