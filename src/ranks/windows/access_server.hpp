// access_server.hpp - performs accesses of ranks of other nodes to the window of a rank of this one.
//
// It is a chain of receives: the thread that completes one performs the access and posts the next. So the target's rank
// does nothing, and accesses are performed one at a time, those of a rank in their order.
//
// Threads     start and stop: the rank. All else: the threads that complete messages, one at a time.
// Invariants  (1) the next receive is posted before a reply is sent: once all ranks have their replies, stop() finds
// it. Errors      of an access: kept for its sender until its next flush or unlock.
#pragma once

#include <cstdint>
#include <vector>

#include "event/waiter.hpp"
#include "ranks/windows/access_message.hpp"
#include "ranks/windows/local_target.hpp"

namespace stretto::ranks {

class access_server {
 public:
  access_server(const window_channel& channel, local_target& own);
  access_server(const access_server&) = delete;
  access_server& operator=(const access_server&) = delete;

  void start();
  /// No rank accesses the window any more.
  void stop();

 private:
  enum class awaited : std::uint8_t { header, payload };
  struct serving : waiter {
    access_server* of = nullptr;
  };
  struct waiting_lock;
  struct reply {
    int to = 0;
    int tag = 0;
    std::vector<std::byte> bytes;
    bool is_wanted = false;
  };

  /// Performs accesses until a message has not come; then the thread that completes it goes on.
  void serve();
  void receive_header();
  void receive_payload();
  bool has_to_wait() { return received_->subscribe(link_); }
  /// The access whose header and payload have come.
  reply perform();
  reply perform_operation();
  reply report_errors();
  void take_lock(lock_mode mode);

  const window_channel& channel_;
  local_target& own_;
  std::vector<error_class> errors_;  // by sender
  // Of the current access.
  serving link_;
  awaited awaited_ = awaited::header;
  request_owner received_;
  access_header header_;
  int sender_ = 0;
  std::vector<std::byte> payload_;
};

}  // namespace stretto::ranks
