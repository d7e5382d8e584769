// access_server.hpp - performs accesses of ranks of other nodes to the window of a rank of this one.
//
// It is a chain of receives: the thread that completes one performs the access and posts the next. So the target's rank
// does nothing, and accesses are performed one at a time, those of a rank in their order. One that waits for a lock
// lets those of other ranks pass: its sender sends no others before it has the lock.
//
// Threads     start and stop: the rank. All else: the threads that complete messages, one at a time.
// Cost        a get sends from the window's memory; long data of a put is received there.
// Invariants  (1) the next receive is posted before a reply is sent: once all ranks have their replies, stop() finds
//             it.
// Errors      of an access: kept for its sender until its next flush or unlock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "event/waiter.hpp"
#include "ranks/windows/locking_access.hpp"

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
  /// The parts of an access, in the order in which they come.
  enum class access_part : std::uint8_t { header, type, data };
  struct serving : waiter {
    access_server* of = nullptr;
  };
  /// Performs accesses until a message has not come; then the thread that completes it goes on.
  void serve();
  void receive(access_part part, int source, int tag, const data_part& into);
  void receive_header();
  /// Begins to receive the next part of an access that has not come with its header. False: all is here.
  bool receive_next_part();
  void read_type(const std::byte* numbers);
  data_part place_for_data();
  bool has_to_wait() { return received_->subscribe(link_); }

  /// The access that has come.
  arrived_access arrived() const;
  std::unique_ptr<locking_access> locking();
  target_place place() const { return {header_->displacement, header_->count, type_.get()}; }
  world_rank rank_of_sender() const;
  void show_description() const;
  error_class& error_of_sender() { return errors_[static_cast<std::size_t>(sender_)]; }

  const window_channel& channel_;
  local_target& own_;
  std::vector<error_class> errors_;  // by sender
  // Of the current access.
  serving link_;
  access_part awaited_ = access_part::header;
  request_owner received_;
  alignas(64) std::byte head_[short_access_bytes];
  const access_header* const header_ = reinterpret_cast<const access_header*>(head_);
  int sender_ = 0;
  std::vector<std::int64_t> numbers_;  // by which type_ was made
  datatype_ref type_;
  std::vector<std::byte> data_;  // that has not come with the header, nor goes to the window
  bool is_in_place_ = false;     // a put's data
};

}  // namespace stretto::ranks
