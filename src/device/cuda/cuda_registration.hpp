// cuda_registration.hpp - what a stream asks of its device; apart, so that neither includes the other.
//
// Threads     any.
#pragma once

#include <cstddef>

#include "device/cuda/cuda_copies.hpp"
#include "device/device.hpp"

namespace stretto::device::cuda {

class cuda_device;
class cuda_stream;

void add(cuda_device& d, cuda_stream& s);
void remove(cuda_device& d, cuda_stream& s) noexcept;
void add_pending(cuda_device& d, std::ptrdiff_t n) noexcept;
const device& as_device(const cuda_device& d) noexcept;
std::shared_ptr<const compiled_kernel> compile(cuda_device& d, const kernel_code& code);
/// Whose memory an address is in: this device's, another one's of this process, or the host's.
located locate(const cuda_device& d, std::byte* address) noexcept;

}  // namespace stretto::device::cuda
