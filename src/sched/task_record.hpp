// task_record.hpp - one task or promise: its completion, what it waits for, its queue, its body, then its value.
//
// Threads     the fields are set by the spawner before the record is shared; then each has one writer at a time.
// Cost        64 bytes before the body; body and preconditions share a block of 128 bytes where they fit.
// Invariants  (1) two references at the start: the executor's and the future's. (2) preconditions are stored at the end
//             of the block and resolved from the last to the first, one subscription at a time.
#pragma once

#include <stretto/task.hpp>

#include <atomic>

#include "event/completion.hpp"

namespace stretto::sched {

struct finish_scope;

struct task_record;

/// On the stack of a task that waits for another one and runs it there: reports look for it.
struct alignas(8) waiting_below {
  task_record* task = nullptr;  // null: the body of run
  const std::source_location* where = nullptr;
};

struct alignas(64) task_record : completion {
  /// Values of `pending`. Otherwise it is one more than the number of preconditions that are not yet checked.
  static constexpr std::uint8_t not_submitted = 0, begun = 255;
  static constexpr std::uintptr_t below_mark = 4;  // not set in pointers to waiters; queues mark theirs with 1

  enum flag : std::uint8_t {
    has_value = 1,   // the storage holds, or will hold once the body has returned, a value to destroy
    keeps_name = 2,  // the name is no copy
    is_promise = 4,
    is_urgent = 8,  // priority is not 0
    is_profiled = 16,
  };
  static constexpr unsigned size_class_shift = 5;

  waiter link{};  // subscribed to the precondition; then the link of queues
  finish_scope* scope = nullptr;
  std::source_location where;
  const char* name = nullptr;
  std::uint16_t place = 0;  // whose queue
  std::uint16_t bound = 0;  // worker + 1, or 0 for any
  std::uint8_t preconditions = 0;
  std::atomic<std::uint8_t> pending{not_submitted};  // relaxed; a cancel reads it, too (cancellation.hpp)
  std::int8_t priority = 0;
  std::uint8_t flags = 0;  // the size class in the upper three bits

  task_record(const detail::task_type& type, std::uint32_t references, const std::source_location& w) noexcept
      : completion(type, references), where(w) {}

  /// Once the task is ready, the waiter's function pointer holds the trace id of the operation that made it ready.
  void made_ready_by(std::uint64_t operation) noexcept {
    link.fire = reinterpret_cast<waiter::fire_function>(static_cast<std::uintptr_t>(operation));
  }
  std::uint64_t made_ready_by() const noexcept { return reinterpret_cast<std::uintptr_t>(link.fire); }

  /// While the task runs on top of the task that waits for it, `link.next` points to that wait, marked (waiting.cpp):
  /// the link is in no list then.
  void runs_on_top_of(const waiting_below& below) noexcept {
    link.next = reinterpret_cast<waiter*>(reinterpret_cast<std::uintptr_t>(&below) | below_mark);
  }
  /// The wait that the task runs on top of, or null.
  const waiting_below* below() const noexcept {
    const auto word = reinterpret_cast<std::uintptr_t>(link.next);
    return word & below_mark ? reinterpret_cast<const waiting_below*>(word & ~below_mark) : nullptr;
  }

  const detail::task_type& type() const noexcept { return static_cast<const detail::task_type&>(*kind); }
  void* storage() noexcept { return reinterpret_cast<std::byte*>(this) + detail::storage_offset; }
  /// For a task that must not run.
  void drop_body() noexcept {
    if (type().drop_body) type().drop_body(storage());
  }
  static task_record& of(waiter& link) noexcept {
    return *reinterpret_cast<task_record*>(reinterpret_cast<std::byte*>(&link) - sizeof(completion));
  }
};
static_assert(sizeof(task_record) == detail::storage_offset && sizeof(completion) == 16);

}  // namespace stretto::sched
