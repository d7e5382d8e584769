// host_launch.hpp - a kernel on the workers, from within a task.
//
// Threads     any task; large ranges are spread over the workers, and the task waits for them.
// Cost        the kernel's own, and the descriptions of its arguments.
#pragma once

#include "data/kernel_arguments.hpp"
#include "device/host_work.hpp"

namespace stretto::data {

/// All arrays exist, and values last until it returns. Throws what a checked kernel finds (K01).
void run_on_host(const kernel_code& code, const kernel_range& range, std::span<const detail::launch_item> given, device::checking check);
/// All arrays exist. Throws what a checked kernel finds (K01).
void run_on_host(const kernel_code& code, const kernel_range& range, const kernel_arguments& given, device::checking check);

}  // namespace stretto::data
