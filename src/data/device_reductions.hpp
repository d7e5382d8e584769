// device_reductions.hpp - reductions where an array is in the memory of a device: what its kernels contribute to, and how arrays are
// combined there, or on the host where devices cannot.
//
// Threads     any thread of the runtime.
// Cost        two arrays on one device whose operator devices have: a launch. Else as through_host.
#pragma once

#include <vector>

#include "data/operation_request.hpp"
#include "data/reduction_record.hpp"

namespace stretto::data {

/// The array to which kernels contribute for a reduction in the memory of a device, full of identities from its ready event on. Throws D05
/// for what no kernel contributes by, or a style that is none of a device's; D16 where there is no room.
detail::instance_handle create_on_device(const detail::instance_request& request, const detail::reduction_kind& kind, reduction_style style,
                                         const std::source_location& where);

/// That array of a reduction; `h` itself for everything else.
inline const detail::instance_handle& array_behind(const detail::instance_handle& h) noexcept {
  const detail::reduction_record* const r = h.record ? h.record->reduction : nullptr;
  return r && r->on_device.record ? r->on_device : h;
}
inline bool is_on_device(const detail::instance_handle& h) noexcept { return &array_behind(h) != &h; }

/// Its array is full of identities again.
event clear_on_device(const detail::instance_handle& h, const preconditions& after, const std::source_location& where);

/// What a reduction holds, as reduction_record::to_bytes; `bytes` lasts, and holds it once the event has happened.
event get_held(const detail::instance_handle& h, std::vector<std::byte>& bytes, const std::source_location& where);

/// `r` has been checked: an array, or what a reduction on the host holds, into an array; one of them is not on the host.
event reduce_elsewhere(const operation_request& r, const preconditions& after, base::thread_context& context);
/// Into a contributor of a reduction on the host.
event fold_from_device(const detail::instance_handle& from, const detail::instance_handle& to, std::uint32_t contributor,
                       const detail::reduction_kind& kind, const preconditions& after, base::thread_context& context,
                       const std::source_location& where);

}  // namespace stretto::data
