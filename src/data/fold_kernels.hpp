// fold_kernels.hpp - what is done with arrays by an operator that devices have: its number, its identity, and how one array is folded into
// another.
//
// Threads     any.
// Cost        an operator of the program's own: a lock, and a comparison with each of them.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace stretto::data {

/// Which operator on which elements a parameter contributes by: equal numbers share accumulators. Never 0.
std::uint32_t reduction_of(const kernel_parameter& p);

/// One element that changes nothing where it is contributed.
std::span<const std::byte> identity_of(std::uint32_t reduction);

/// (from, to) on a box of three axes: contributes every element of `from` to that of `to`.
const kernel_code& fold_kernel(std::uint32_t reduction);
/// The same for a parameter by which kernels contribute; null where there is none, for no kernel contributes so.
const kernel_code* fold_kernel_of(const kernel_parameter& p);

}  // namespace stretto::data
