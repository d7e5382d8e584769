// instance_refusals.hpp - why an instance cannot be made, apart from what makes one.
//
// Threads     pure.
#pragma once

#include <stretto/instance.hpp>

#include <cstdint>
#include <source_location>

#include "data/data_state.hpp"
#include "event/failure.hpp"

namespace stretto::data {

/// The error D05: the box has more axes than were asked for.
[[noreturn]] void refuse_axes(const detail::instance_request& r, const std::source_location& where);
/// The error D05: strides that are too few or too many, or by which elements share memory.
[[noreturn]] void refuse_strides(const detail::instance_request& r, const std::source_location& where);
/// The error D05: memory of the program's that begins so many bytes behind an address that would do.
[[noreturn]] void refuse_address(const detail::instance_request& r, std::uintptr_t behind, const std::source_location& where);
/// The error D14.
[[noreturn]] void refuse_size(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                              const std::source_location& where);
/// Throws D14 where "an instance", "a buffer", "an object" would have more than 2^62 bytes: before anything is made of it, so that whatever
/// is computed from its size fits.
void require_addressable(const char* what, std::string_view name, const box& elements, std::uint32_t element_bytes,
                         const std::source_location& where);
/// The error D04: a place that is no memory, or one that is of no device while the driver's memory is to be.
[[noreturn]] void refuse_memory(const detail::instance_request& r, const data_state& state, const std::source_location& where);

/// The error D03: bytes wanted, free and the longest free piece.
failure_ref creation_refused(const detail::instance_record& r, const creation& refused);

}  // namespace stretto::data
