// messages_window.hpp - a window over any transport, by messages: the target node's poll performs each access.
//
// Messages    put and get, each with a number of the requesting node; put_done and got, the replies, with that number.
// Threads     any.
// Invariants  (1) no message writes or reads outside of the window, or outside of the memory of a pending get: one that
//             would is malformed (net/handlers.hpp), and so is a reply that nothing here waits for.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "net/mapped_memory.hpp"
#include "net/transport.hpp"

namespace stretto::net {

class messages_window final : public window {
 public:
  /// Adds its message handlers; to be called before the transport is made.
  explicit messages_window(handlers& all);
  /// Opens the window over this transport, which must outlive it.
  void open(transport& over, std::uint64_t bytes);

  std::uint64_t bytes() const noexcept override { return memory_ ? memory_->size() : 0; }
  void put(node_number to, std::uint64_t offset, std::span<const std::byte> from, places::completion& done) override;
  void get(node_number from, std::uint64_t offset, std::span<std::byte> into, places::completion& done) override;

 private:
  struct pending_access {
    node_number of;
    std::span<std::byte> into;  // of a get; empty for a put
    places::completion* done;
  };
  struct access_request {
    std::uint64_t number, offset, bytes;
  };
  struct put_landing;

  static std::optional<access_request> head_of(const arrival& a) noexcept;
  std::uint64_t add_pending(pending_access a);
  /// The access that this reply ends, if it is from the node of the access and has as many bytes as that wants.
  std::optional<pending_access> take_pending(const arrival& reply);
  /// The bytes of the window; nothing if they are not all inside of it.
  std::optional<std::span<std::byte>> part(std::uint64_t offset, std::uint64_t bytes) const noexcept;
  void on_put(arrival& a);
  void on_get(arrival& a);
  void on_reply(arrival& a);
  void send(node_number to, const char* name, const access_request& head, std::span<const std::byte> payload,
            places::completion* sent);

  handlers& handlers_;
  transport* net_ = nullptr;
  std::unique_ptr<mapped_memory> memory_;
  std::mutex lock_;  // guards what follows
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, pending_access> pending_;
};

}  // namespace stretto::net
