// hang_programs.hpp - programs that hang, each for another reason, and some that do not; hang_test.py starts them and
// checks their reports.
#pragma once

#include <cstdint>
#include <cstdio>

#include <stretto/barrier.hpp>
#include <stretto/coroutine.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/future.hpp>
#include <stretto/reservation.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

namespace hang {

using namespace stretto;

struct program {
  const char* name;
  void (*run)(runtime& rt);
  std::uint32_t workers = 2;
};
extern const program event_hangs[], cycle_hangs[], object_hangs[], thread_hangs[], unproven_hangs[], node_hangs[],
    healthy_programs[];  // each ends with a null name

}  // namespace hang
