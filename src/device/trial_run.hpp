// trial_run.hpp - runs a launch on copies of the arrays that it writes, to find races and reads of elements without a
// value.
//
// Threads     the caller's. Other launches may use elements that this one does not write meanwhile, also of the same
//             arrays.
// Cost        each item, or group, runs twice and records each access to arrays that the launch writes; a copy of
//             these arrays, and 16 bytes for each of their elements.
#pragma once

#include <source_location>
#include <span>

#include "device/host_work.hpp"

namespace stretto::device {

/// Whether a checked launch of the kernel begins with a trial run. Native kernels have none.
bool has_trial_run(const kernel_code& code);

/// Runs the launch on copies, then marks the elements of its out arguments that it did not write
/// (unwritten_elements.hpp). `where` may be null.
///   throws   K01 and K02 as any checked run; otherwise the first of
///            K03: two items of a group use an element in one region, and one of them writes it
///            K04: two items, or groups, of the launch use an element, and one of them writes it
///            K05: a group reads an element of its memory that has no value
///            K06: the kernel reads an element of an out argument that it has not written
///            K07: the kernel reads an element that an earlier launch had as out and has not written
///
/// Kernels with atomics are not checked for K03 and K04, since atomics may order items. Arrays that a kernel
/// contributes to are not checked for them either.
void run_trial(const kernel_code& code, std::span<const kernel_argument> given, const launch_range& whole,
               group_memory& memory, const std::source_location* where);

}  // namespace stretto::device
