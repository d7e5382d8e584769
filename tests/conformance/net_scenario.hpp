// net_scenario.hpp - the program of every node in a test of transports: it starts, handles messages, and is done at
// some time. The same scenario runs on nodes of one thread, of a thread each, and of a process each.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "counting_completion.hpp"
#include "net/transport.hpp"

namespace stretto::net {

using told = test::counting_completion;

class scenario {
 public:
  virtual ~scenario() = default;

  handlers all;
  transport* net = nullptr;

  virtual void start() = 0;
  /// Called between polls.
  virtual void go_on() {}
  virtual bool is_done() const = 0;
  /// Called once every node is done.
  virtual void check() {}
  /// The number of messages that it sends and receives; 0: unknown.
  virtual std::uint64_t messages() const { return 0; }

 protected:
  /// A member function as a handler.
  template <auto f, class S>
  void answer(const char* name, S* self) {
    all.add(name, self, +[](void* s, arrival& a) { (static_cast<S*>(s)->*f)(a); });
  }
  template <class T>
  static T read(std::span<const std::byte> head) {
    T value;
    CHECK(head.size() >= sizeof value);
    std::memcpy(&value, head.data(), sizeof value);
    return value;
  }
  template <class T>
  void send(node_number to, const char* handler, const T& head, std::span<const std::byte> payload = {},
            told* sent = nullptr) {
    net->send({to, net_number(handler), std::as_bytes(std::span(&head, 1)), payload, sent});
  }
  handler_number net_number(const char* name) const { return all.number(name); }
};

/// Payload bytes that identify the message.
inline std::vector<std::byte> made_of(std::uint64_t from, std::uint64_t to, std::uint64_t number, std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::mt19937 random(static_cast<unsigned>(from * 7919 + to * 104729 + number));
  for (auto& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace stretto::net
