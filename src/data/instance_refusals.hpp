// instance_refusals.hpp - errors for instances that cannot be created.
//
// Threads     pure.
#pragma once

#include <stretto/instance.hpp>

#include <cstdint>
#include <source_location>

#include "data/data_state.hpp"
#include "event/failure.hpp"

namespace stretto::data {

/// The error D05: the box has more axes than dimensions were given.
[[noreturn]] void refuse_axes(const detail::instance_request& r, const std::source_location& where);
/// The error D05: too few or too many strides, or strides by which elements share memory.
[[noreturn]] void refuse_strides(const detail::instance_request& r, const std::source_location& where);
/// The error D05: memory of the program at an address that is `behind` bytes past an aligned one.
[[noreturn]] void refuse_address(const detail::instance_request& r, std::uintptr_t behind,
                                 const std::source_location& where);
/// The error D14.
[[noreturn]] void refuse_size(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                              const std::source_location& where);
/// Throws D14 if "an instance", "a buffer" or "an object" would have more than 2^62 bytes. To be called first, so that
/// no computation with its size overflows.
void require_addressable(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                         const std::source_location& where);
/// The error D04: the place is no memory, or it is not of a device although the driver's memory is to be used.
[[noreturn]] void refuse_memory(const detail::instance_request& r, const data_state& state,
                                const std::source_location& where);

/// The error D03: bytes needed, bytes free and the longest free block.
failure_ref creation_refused(const detail::instance_record& r, const creation& refused);

}  // namespace stretto::data
