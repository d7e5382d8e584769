// message_request.hpp - the request of a send or a receive; it is also its entry in the queues of the receiving rank.
//
// Threads     as request.hpp and queue_entry.hpp say.
// Invariants  (1) a request that stands in a queue is active. (2) the parts that matching needs lie in 128 bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "ranks/communicators/group.hpp"
#include "ranks/datatypes/data_part.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/messages/queue_entry.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

class mailbox;
class send_buffer;
struct message_request;

/// A rank of another node, as its node sends to it.
class remote_peer {
 public:
  /// Sends the message, in the order of the calls. Activates the request unless the message is complete at once.
  virtual void start_send(message_request& send) = 0;
  /// Asks for a send's end without a message; the request completes in any case.
  virtual void cancel_send(message_request& send) = 0;
  /// For reports.
  virtual world_rank number() const = 0;

 protected:
  ~remote_peer() = default;
};

/// A rank that receives messages: on this node, on another node, or, with neither pointer, MPI_PROC_NULL.
struct peer {
  mailbox* local = nullptr;
  remote_peer* remote = nullptr;
};

enum class send_mode : std::uint8_t { standard, synchronous, buffered, ready };

struct data_of_request {
  data_part data;
};

struct alignas(base::cache_line) message_request final : request, data_of_request, queue_entry {
  message_request(const request_kind& k, entry_kind is, envelope e, const data_part& d) noexcept
      : request(k), data_of_request{d}, queue_entry(is, e) {}

  void wait_for_match() noexcept {
    helper.store(0, std::memory_order_relaxed);
    activate();
  }

  // Of a receive, the mailbox is the rank's own.
  peer at;
  send_mode mode = send_mode::standard;
  bool is_set_aside = false;      // a send whose message `number` has been copied aside
  send_buffer* buffer = nullptr;  // of buffered sends
  /// Keeps the layout of the data, where the program may free the datatype before the message is complete.
  datatype_ref type;
  std::atomic<std::uintptr_t> helper{0};  // shared_copy.cpp
  /// Of a persistent request: keeps the communicator's numbers, which the program may free between two operations.
  std::shared_ptr<const void> numbers;
};

}  // namespace stretto::ranks
