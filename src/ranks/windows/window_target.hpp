// window_target.hpp - the window of one rank, as another rank accesses it: on the same node, or by messages.
//
// Threads     any. Locks are those of ranks: a rank does not lock a target twice.
// Errors      call_error, by `begin`: memory outside of the window, operations that MPI does not define.
#pragma once

#include <memory>
#include <source_location>
#include <span>

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
  bool is_waited_for = false;                      // the program gets the request
};

/// A flush or an unlock that has begun.
class target_call {
 public:
  virtual ~target_call() = default;
  /// Returns when it has ended. Throws call_error: the first error of accesses that only the target knows.
  virtual void wait(const std::source_location& where) = 0;
};
using target_call_owner = std::unique_ptr<target_call>;

class window_target {
 public:
  /// For checks of programs: sends what they know of the operation that begins next to the target's node, if that is
  /// another one. At most most_description bytes.
  virtual void describe(std::span<const std::byte> operation) = 0;
  static constexpr std::size_t most_description = 3000;
  /// Performs the operation, or begins it: then the request is done when the origin's memory may be used again. Null if
  /// it has ended.
  virtual request_owner begin(const window_operation& operation) = 0;
  /// Begins to wait until all operations that the calling rank has begun have ended at the target. Null: they have.
  virtual target_call_owner start_flush(const std::source_location& where) = 0;
  /// Lets the calling rank access the target under the lock. It has the lock when this returns, or when its first
  /// access is performed, if it reaches the target only by accesses.
  virtual void lock(lock_mode mode, const std::source_location& where) = 0;
  /// Suspends the calling rank until it has the lock, if it wants it.
  virtual void acquire(const std::source_location& where) = 0;
  /// Begins to flush and then to give up the lock. Null: that is done.
  virtual target_call_owner start_unlock(const std::source_location& where) = 0;
  /// The memory, if the calling rank can read and write it directly; else null.
  virtual const fixed_memory* shared_memory() const = 0;
  /// Its size and its unit of displacements, with the address only if that is shared_memory(); null if the window is
  /// dynamic.
  virtual const fixed_memory* known_memory() const = 0;

  void flush(const std::source_location& where) { finish(start_flush(where), where); }
  void unlock(const std::source_location& where) { finish(start_unlock(where), where); }

 private:
  static void finish(const target_call_owner& begun, const std::source_location& where) {
    if (begun) begun->wait(where);
  }

 protected:
  ~window_target() = default;
};

}  // namespace stretto::ranks
