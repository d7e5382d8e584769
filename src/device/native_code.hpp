// native_code.hpp - what backends share for kernels whose device code the program supplies: reading the code, finding
// its entry, checking arguments.
//
// Threads     pure, except that files are read.
#pragma once

#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>

#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// K14: the kernel has no code for this kind of device.
error without_code(const kernel_code& code, std::string_view where);

/// The text or binary. Throws K17 if the file cannot be read.
std::string content_of(const native_code& from, const kernel_code& code);
/// The name of the entry function.
std::string entry_of(const native_code& from, const kernel_code& code);
/// The origin of the code for messages: a file name, or the line of the definition.
std::string origin_of(const native_code& from, const kernel_code& code);
/// K15: the module has no such entry. `there`: its entries, as far as known.
error without_entry(const native_code& from, const kernel_code& code, const std::vector<std::string>& there);
/// K16: the entry has another number of parameters.
error wrong_count(const native_code& from, const kernel_code& code, std::size_t wanted, std::size_t there);

/// Whether the kernel has code for a device. Such code counts ids from 0 and gets a pointer for each array, so it
/// computes whole launches and no parts. Functions of the host, and calls, are passed their part.
bool computes_whole_launches(const kernel_code& code) noexcept;

/// Whether the kernel has host functions only.
bool is_of_host_alone(const kernel_code& code) noexcept;

/// Throws K18 if the range does not begin at 0, or if an array that is passed as a plain pointer is not dense.
void check_native(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments);
/// K18: the array of a parameter cannot begin at this address.
error misaligned(const kernel_code& code, std::size_t parameter, std::uint64_t alignment);

/// The first element of an array's part, and its layout from the instance's first byte.
std::byte* first_of(const launch_argument& a, const kernel_parameter& p) noexcept;
native_layout layout_of(const launch_argument& a, const kernel_parameter& p) noexcept;

/// The range of a launch in the form that calls receive.
kernel_work work_of(const launch_range& range) noexcept;

/// Whether a parameter is an array, that is, neither a value nor local memory.
inline bool is_array(const kernel_parameter& p) noexcept { return p.mode != access::value && p.mode != access::local; }

}  // namespace stretto::device
