// partitioned_request.hpp - a persistent message whose data the program makes, or uses, in partitions.
//
// The message is sent once all partitions are ready, and partitions have arrived once the whole message has. The two
// sides may divide the data differently.
//
// Threads     ready, has_arrived: any; each partition becomes ready once. The others: as request.hpp says.
// Cost        ready: two atomic operations.
#pragma once

#include <atomic>
#include <memory>

#include "ranks/messages/request_part.hpp"

namespace stretto::ranks {

enum class message_side : bool { send, receive };

class partitioned_request final : public request {
 public:
  /// `whole` is a persistent send or receive of all data. `numbers` keeps those of the communicator.
  partitioned_request(message_side side, int partitions, request_owner whole, std::shared_ptr<const void> numbers);

  /// The partition may be sent. Throws call_error: argument for its number, request unless this is an active send whose
  /// partition was not ready.
  void ready(int partition);
  /// Throws call_error: argument for its number, request if this is a send.
  bool has_arrived(int partition) const;

  void end_part(request_part<partitioned_request>& whole) noexcept;

  /// Null if the request is of another kind.
  static partitioned_request* of(request& r) noexcept;

 private:
  static const request_kind kind_of_partitioned;

  void begin();
  void begin_whole();
  void check_partition(int partition) const;

  const message_side side_;
  const int partitions_;
  request_part<partitioned_request> whole_;
  const std::shared_ptr<const void> numbers_;
  std::atomic<int> left_ = 0;
  std::unique_ptr<std::atomic<bool>[]> is_ready_;
};

}  // namespace stretto::ranks
