// native_code.hpp - what backends share of kernels that the program brings: reading code, finding its entry, what cannot be handed over.
//
// Threads     pure, but for reading files.
#pragma once

#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>

#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace stretto::device {

/// K14: there is no code for this kind of device.
error without_code(const kernel_code& code, std::string_view where);

/// The text or bytes; throws K17 where the file cannot be read.
std::string content_of(const native_code& from, const kernel_code& code);
/// The name of the entry.
std::string entry_of(const native_code& from, const kernel_code& code);
/// Where it is from, for messages: a file's name, or the line of the definition.
std::string origin_of(const native_code& from, const kernel_code& code);
/// K15: the module has no such entry; `there`: those that it has, as far as is known.
error without_entry(const native_code& from, const kernel_code& code, const std::vector<std::string>& there);
/// K16: the entry takes another number of arguments.
error wrong_count(const native_code& from, const kernel_code& code, std::size_t wanted, std::size_t there);

/// Whether it brings code for a device: that counts its ids from 0 and has a pointer for each array, so that it can compute a launch as a
/// whole, and no part of one. Functions of the host and calls are handed the part that is theirs.
bool computes_whole_launches(const kernel_code& code) noexcept;

/// Whether it brings functions of the host and nothing for any device.
bool is_of_host_alone(const kernel_code& code) noexcept;

/// Throws K18 where the range does not begin at 0, or where an array that is handed over by a pointer is not dense.
void check_native(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments);
/// K18: the pointer of a parameter cannot begin there.
error misaligned(const kernel_code& code, std::size_t parameter, std::uint64_t alignment);

/// The first element of an array's part, and the layout from the instance's first byte.
std::byte* first_of(const launch_argument& a, const kernel_parameter& p) noexcept;
native_layout layout_of(const launch_argument& a, const kernel_parameter& p) noexcept;

/// The range of a launch, for calls.
kernel_work work_of(const launch_range& range) noexcept;

/// Whether a parameter is an array of instances: neither a value nor memory of a group.
inline bool is_array(const kernel_parameter& p) noexcept { return p.mode != access::value && p.mode != access::local; }

}  // namespace stretto::device
