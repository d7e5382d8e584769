// region_kernel.hpp - a region of a program as a kernel of the device floor.
//
// Threads     any.
// Cost        a kernel is kept until the program ends.
// Invariants  (1) a parameter of the program's table is one of the kernel; form_address is two: memory, and what is
//             added to its address.
#pragma once

#include <stretto/kernel_code.hpp>

#include <string_view>

#include "acc/accelerator.hpp"
#include "device/device.hpp"

namespace stretto::acc {

/// The kernel of a region for devices of a backend, with the texts that the translator wrote. Simulated devices call
/// the function of the host for each gang, with addresses of their memory.
const kernel_code& region_kernel(const gang_launch& of, std::string_view backend);

/// Why the devices of a backend have no kernel of the region: "it calls \"printf\"". Empty if they have one.
std::string_view reason_against(const stretto_acc_device_kernel& of, std::string_view backend);

/// The range of a launch of `gangs` gangs. CUDA runs whole blocks of threads, so their size divides the number.
device::launch_range range_of_gangs(const kernel_code& kernel, long gangs);

}  // namespace stretto::acc
