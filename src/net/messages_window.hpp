// messages_window.hpp - a window over any transport, by messages: the target node's poll performs each access.
//
// Messages    put and get, each with a number of the requesting node; put_done and got, the replies, with that number.
// Threads     any.
#pragma once

#include <map>
#include <mutex>

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
    std::byte* target;  // of a get
    places::completion* done;
  };
  struct access_request {
    std::uint64_t number, offset, bytes;
  };
  struct put_landing;

  std::uint64_t add_pending(pending_access a);
  places::completion* take_pending(std::uint64_t number, std::byte** target = nullptr);
  void on_put(arrival& a);
  void on_put_done(arrival& a);
  void on_get(arrival& a);
  void on_got(arrival& a);
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
