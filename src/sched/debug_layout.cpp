// The layout of this floor's types for tools/gdb.
#include <cstddef>

#include "base/config.hpp"
#include "sched/debugger.hpp"
#include "sched/scheduler.hpp"

// These types have bases; both compilers support offsetof for them.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

using namespace stretto::sched;

const layout_entry stretto_debug_layout[] = {
    {"debugged.shown", offsetof(debugged, shown)},
    {"debugged.next", offsetof(debugged, next)},
    {"scheduler.workers", offsetof(scheduler, workers)},
    {"scheduler.stacks", offsetof(scheduler, stacks)},
    {"stack_pool.newest", stack_pool::offset_of_newest()},
    {"stack.base", offsetof(stack, base)},
    {"stack.bytes", offsetof(stack, bytes)},
    {"stack.older", offsetof(stack, older)},
    {"stack.left", offsetof(stack, left)},
    {"worker.own_left", offsetof(worker, own_left)},
    {"worker.current", offsetof(worker, current)},
    {"suspension.saved", offsetof(suspension, saved)},
    {"suspension.current", offsetof(suspension, current)},
    {"suspension.waits_for", offsetof(suspension, waits_for)},
    {"suspension.where", offsetof(suspension, where)},
    {"task_record.where", offsetof(task_record, where)},
    {"task_record.name", offsetof(task_record, name)},
    {"is_x86_64_stack", stretto::base::x86_64 ? 1u : 0u},
    {nullptr, 0},
};
