// window_target.hpp - the window of one rank, as another rank accesses it: on the same node, or by messages.
//
// Threads     any. Locks are those of ranks: a rank does not lock a target twice.
// Errors      call_error, by `begin`: memory outside of the window, operations that MPI does not define.
#pragma once

#include <source_location>

#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/messages/request.hpp"
#include "ranks/windows/window_lock.hpp"
#include "ranks/windows/window_memory.hpp"

namespace stretto::ranks {

enum class access_kind : std::uint8_t { put, get, accumulate, get_accumulate, compare_and_swap };

/// Elements in the memory of the rank that calls.
struct origin_data {
  void* memory = nullptr;
  std::int64_t count = 0;
  const datatype* type = nullptr;

  std::int64_t bytes() const { return type ? count * type->size() : 0; }
};

/// One call of a program. Types are committed, and live until the operation has ended.
struct window_operation {
  access_kind kind{};
  origin_data origin;  // written to the target, or combined; not of MPI_NO_OP
  origin_data result;  // gets what was in the target
  target_place target;
  const reduction_operation* operation = nullptr;  // of accumulates
  const void* expected = nullptr;                  // of compare_and_swap
};

class window_target {
 public:
  /// Performs the operation, or begins it: then the request is done when the origin's memory may be used again. Null if
  /// it has ended.
  virtual request_owner begin(const window_operation& operation) = 0;
  /// Returns when all operations that the calling rank has begun have ended at the target.
  virtual void flush(const std::source_location& where) = 0;
  /// Suspends the calling rank until it has the lock.
  virtual void lock(lock_mode mode, const std::source_location& where) = 0;
  /// Flushes, and gives the lock up.
  virtual void unlock(const std::source_location& where) = 0;
  /// The memory, if the calling rank can read and write it directly; else null.
  virtual const fixed_memory* shared_memory() const = 0;

 protected:
  ~window_target() = default;
};

}  // namespace stretto::ranks
