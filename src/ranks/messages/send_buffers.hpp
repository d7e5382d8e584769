// send_buffers.hpp - the buffers that a rank has attached: one for all messages, and those of communicators and
// sessions.
//
// Threads     any of the rank.
// Cost        as long as only the first one is used: one load.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "ranks/messages/send_buffer.hpp"

namespace stretto::ranks {

class send_buffers {
 public:
  /// That of MPI_Buffer_attach.
  send_buffer& common() { return common_; }
  /// That of a communicator or session, by its address.
  send_buffer& of(const void* owner);
  /// For a message on a communicator: its own buffer, else the common one, else that of a session.
  send_buffer& for_message(const void* comm);
  /// The owner is freed: returns once all messages have been received.
  void remove(const void* owner);

 private:
  send_buffer* attached_one(const void* comm);

  send_buffer common_;
  std::atomic<bool> has_others_ = false;
  std::mutex mutex_;
  std::map<const void*, std::unique_ptr<send_buffer>> others_;
};

}  // namespace stretto::ranks
