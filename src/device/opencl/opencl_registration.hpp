// opencl_registration.hpp - what a stream asks of its device; apart, so that neither includes the other.
//
// Threads     any.
#pragma once

#include <cstddef>
#include <vector>

#include "device/device.hpp"

namespace stretto::device::opencl {

class opencl_device;
class opencl_stream;

void add(opencl_device& d, opencl_stream& s);
void remove(opencl_device& d, opencl_stream& s) noexcept;
void add_pending(opencl_device& d, std::ptrdiff_t n) noexcept;
/// Runs completions and counts them as ended. No lock is held.
void run_ended(opencl_device& d, const std::vector<places::completion*>& ended) noexcept;
bool owns(const opencl_device& d, const std::byte* address) noexcept;
const device& as_device(const opencl_device& d) noexcept;
std::shared_ptr<const compiled_kernel> compile(opencl_device& d, const kernel_code& code);

}  // namespace stretto::device::opencl
