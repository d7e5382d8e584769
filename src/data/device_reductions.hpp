// device_reductions.hpp - reductions with arrays in device memory: arrays that kernels contribute to, and folds of
// arrays on the device, or on the host if the device cannot.
//
// Threads     any thread of the runtime.
// Cost        two arrays on one device with an operator that devices have: one launch. Else as through_host.
#pragma once

#include <vector>

#include "data/operation_request.hpp"
#include "data/reduction_record.hpp"

namespace stretto::data {

/// Creates the array that kernels contribute to, for a reduction in device memory. It holds identities from its ready
/// event on. Throws D05 for an operator that no kernel uses or a style that devices do not have, D16 if memory is
/// missing.
detail::instance_handle create_on_device(const detail::instance_request& request, const detail::reduction_kind& kind,
                                         reduction_style style, const std::source_location& where);

/// That array of a reduction; `h` itself for everything else.
inline const detail::instance_handle& device_array_of(const detail::instance_handle& h) noexcept {
  const detail::reduction_record* const r = h.record ? h.record->reduction : nullptr;
  return r && r->on_device.record ? r->on_device : h;
}
inline bool is_on_device(const detail::instance_handle& h) noexcept { return &device_array_of(h) != &h; }

/// Sets the array to identities again.
event clear_on_device(const detail::instance_handle& h, const preconditions& after, const std::source_location& where);

/// The contributions that a reduction holds, as reduction_record::to_bytes. `bytes` must outlive the event, which
/// triggers when it is filled.
event get_held(const detail::instance_handle& h, std::vector<std::byte>& bytes, const std::source_location& where);

/// `r` has been checked: it reduces an array, or a host reduction, into an array, and one of them is not on the host.
event reduce_elsewhere(const operation_request& r, const preconditions& after, base::thread_context& context);
/// Folds an array on a device into a contributor of a reduction on the host.
event fold_from_device(const detail::instance_handle& from, const detail::instance_handle& to,
                       std::uint32_t contributor, const detail::reduction_kind& kind, const preconditions& after,
                       base::thread_context& context, const std::source_location& where);

}  // namespace stretto::data
