// context.hpp - which runtime a thread belongs to; an opaque slot per floor for each runtime and each thread.
//
// Threads     a runtime_context is shared by the threads of its runtime; a thread_context belongs to one thread.
// Invariants  (1) floors fill their own slot before any thread of the runtime runs and clear it after the last.
//             (2) current() reads the thread-local anew at every call: a compiler may keep its address across a stack
//                 switch, after which the code may run on another thread.
#pragma once

#include <cstdint>

#include "base/config.hpp"

namespace stretto::base {

class order_observer;

/// One slot per floor that keeps state. A floor reads its own slot only.
enum class floor_slot : unsigned {
  trace,
  event,
  platform,
  sched,
  data,
  device,
  objects,
  net,
  dist,
  mobile,
  buffers,
  checkpoint,
  module,
  api,
  count
};

inline constexpr unsigned floor_slots = static_cast<unsigned>(floor_slot::count);

/// The part of a runtime that every floor knows: a node number, unique among the runtimes of this process (the
/// simulated nodes of one job share theirs as a cluster does), and the floors' own states.
struct runtime_context {
  std::uint16_t node = 0;
  order_observer* observer = nullptr;  // null unless STRETTO_CHECK observes the order
  void* floors[floor_slots] = {};

  template <class State>
  State* get(floor_slot slot) const noexcept {
    return static_cast<State*>(floors[static_cast<unsigned>(slot)]);
  }
  void set(floor_slot slot, void* state) noexcept { floors[static_cast<unsigned>(slot)] = state; }
};

/// One per worker and per attached outside thread. `index` is dense within the runtime, workers first.
struct thread_context {
  runtime_context* runtime = nullptr;
  std::uint32_t index = 0;
  bool every_span = false;             // the thread records every span (trace level full)
  std::uint64_t current_id = 0;        // trace id of the thread's current span; 0 unless every span is recorded
  order_observer* observer = nullptr;  // the runtime's
  void* floors[floor_slots] = {};

  template <class State>
  State* get(floor_slot slot) const noexcept {
    return static_cast<State*>(floors[static_cast<unsigned>(slot)]);
  }
  void set(floor_slot slot, void* state) noexcept { floors[static_cast<unsigned>(slot)] = state; }
};

/// The calling thread's context, or null on a thread of no runtime. Cost: two loads.
inline thread_context* current() noexcept { return static_cast<thread_context*>(thread_slot()); }

/// As current(), but throws B20 instead of returning null. `verb` is the function that the user called: "async".
thread_context& require_current(const char* verb);

/// Sets the calling thread's context (may be null); returns the previous one.
thread_context* set_current(thread_context* context) noexcept;

}  // namespace stretto::base
