// fold_kernels.hpp - reduction operators of devices: their numbers, identities, and the kernels that fold one array
// into another.
//
// Threads     any.
// Cost        an operator of the program: a lock, and a comparison with each such operator.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace stretto::data {

/// The number of a parameter's operator and element type: equal numbers share accumulators. Never 0.
std::uint32_t reduction_of(const kernel_parameter& p);

/// The identity element: contributing it changes nothing.
std::span<const std::byte> identity_of(std::uint32_t reduction);

/// (from, to) on a box of three axes: contributes every element of `from` to that of `to`.
const kernel_code& fold_kernel(std::uint32_t reduction);
/// The same for a parameter of that reduction; null if no kernel contributes by it.
const kernel_code* fold_kernel_of(const kernel_parameter& p);

}  // namespace stretto::data
