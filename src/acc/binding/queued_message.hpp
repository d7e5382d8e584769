// queued_message.hpp - calls of MPI as operations of a queue: `acc mpi` with async.
//
// Threads     tasks of a rank.
// Source      IMPACC (Kim, Lee, Vetter, HPDC 2016): unified activity queues.
#pragma once

#include <cstddef>
#include <vector>

#include "acc/activity_queues.hpp"

namespace stretto::acc {

struct message_call {
  int (*make)(const void* arguments, void** request);
  std::vector<std::byte> arguments;
};

/// Makes the call behind the queue's operations. Its buffers must stay until then, and as long as MPI says.
///
///   request   null for a call that blocks: the queue's later operations run behind its return. Else the program's
///             request: it is set at once, ends with the message, and may be waited for in any way
void enqueue_message(activity_queues& queues, int queue, const char* where, message_call call, void** request);

}  // namespace stretto::acc
