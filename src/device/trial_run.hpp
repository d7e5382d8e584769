// trial_run.hpp - a run of a launch on copies of what it writes, which finds races and elements that are read without a value.
//
// Threads     the caller's; other launches may use what this one does not write meanwhile, of its arrays too.
// Cost        each item, or group, runs twice, with a note of each element that it uses of arrays that the launch writes; a
//             copy of these arrays, and 16 bytes for each of their elements.
#pragma once

#include <source_location>
#include <span>

#include "device/host_work.hpp"

namespace stretto::device {

/// Whether a checked launch of the kernel begins with a trial run. Nothing is known of code that the program brought.
bool has_trial_run(const kernel_code& code);

/// Runs the launch on copies, then marks what it leaves unwritten of its out arguments (unwritten_elements.hpp). `where` may be null.
///   throws   K01 and K02 as any checked run; the first of
///            K03: two items of a group use an element in one region, and one of them writes it
///            K04: two items, or groups, of the launch use an element, and one of them writes it
///            K05: a group reads an element of its memory that has no value
///            K06: the kernel reads an element of an out argument that it has not written
///            K07: the kernel reads an element that an earlier launch had as out and has not written
///
/// Kernels with atomics have no K03 and K04, since atomics may put items in order. Neither have arrays that a kernel
/// contributes to.
void run_trial(const kernel_code& code, std::span<const kernel_argument> given, const launch_range& whole, group_memory& memory,
               const std::source_location* where);

}  // namespace stretto::device
