#include "net/transport.hpp"

#include <stretto/error.hpp>

#include <cstring>
#include <string>
#include <utility>

namespace stretto::net {

payload::payload(payload&& other) noexcept
    : from_(std::move(other.from_)), here_(std::exchange(other.here_, {})), bytes_(std::exchange(other.bytes_, 0)) {}

payload& payload::operator=(payload&& other) noexcept {
  from_ = std::move(other.from_);
  here_ = std::exchange(other.here_, {});
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void payload::receive(std::byte* target, places::completion& landed) && {
  if (const auto from = std::move(from_)) {
    from->receive(target, landed);
  } else {
    if (bytes_) std::memcpy(target, here_.data(), bytes_);
    end(landed);
  }
}

namespace {
error no_handler(handler_number number) {
  return error("N03", "there is no handler of number " + std::to_string(number));
}
}  // namespace

void transport::send(const message& m) {
  if (m.to >= nodes())
    throw error("N02", "there is no node " + std::to_string(m.to))
        .fact("nodes", std::to_string(nodes()) + ", numbered 0 to " + std::to_string(nodes() - 1));
  if (m.handler >= handlers_.size()) throw no_handler(m.handler);
  if (m.head.size() > most_head_bytes)
    throw error("N04", "the header of a message has " + std::to_string(m.head.size()) + " bytes")
        .fact("handler", handlers_.name(m.handler))
        .fact("at most", std::to_string(most_head_bytes))
        .remedy("send long data as the payload");
  send_checked(m);
}

void transport::communicator(std::uint32_t, std::span<std::byte>) {
  throw no_communicator("the nodes of this job are not MPI processes");
}

void transport::handle(node_number from, handler_number handler, std::span<const std::byte> head,
                       payload&& rest) noexcept {
  if (handler >= handlers_.size()) [[unlikely]]
    return handle_unknown(from, handler);
  arrival a{from, head, rest};
  handlers_.run(handler, a);
  if (a.is_malformed) [[unlikely]]
    handle_malformed(from, handler);
}

void transport::handle_unknown(node_number from, handler_number handler) const {
  if (!unknown_) throw no_handler(handler);
  unknown_(from, handler);
}

void transport::handle_malformed(node_number from, handler_number handler) const {
  if (!malformed_)
    throw error("N05", "node " + std::to_string(from) + " sent a message that cannot be read")
        .fact("handler", handlers_.name(handler));
  malformed_(from, handlers_.name(handler));
}

error no_communicator(const std::string& why) {
  return error("N30", "there is no MPI communicator for a collective task").because(why);
}

std::exception_ptr node_lost(node_number node, const std::string& what) {
  return std::make_exception_ptr(error("N05", "node " + std::to_string(node) + " is lost").fact("under way", what));
}

}  // namespace stretto::net
