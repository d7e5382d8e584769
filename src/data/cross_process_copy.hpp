// copied_by_devices.hpp - elements in the memory of a device of one node, copied from there by devices of another on the same host.
//
// Threads     any thread of the runtime.
#pragma once

#include <optional>
#include <source_location>
#include <span>

#include "base/context.hpp"
#include "data/imported_memories.hpp"
#include "data/instance_record.hpp"

namespace stretto::data {

/// On the node that is read. Nothing where others cannot have them: they are not in memory of a device's own, or its driver does not export that, or
/// messages go from there in place anyway, or accesses are checked, or the option device_messages forbids it.
std::optional<exported_device_elements> export_for_import(const detail::instance_record& r, base::thread_context& context);

/// On the node that is written. Whether any of its devices can have them: if not, elements of that memory need never be offered again.
bool can_import(const exported_device_elements& from, std::uint16_t of, base::thread_context& context);
/// Their memory as the device knows it that can copy them to `target`: whose memory that is in, or any, if that is in memory of the host. Null
/// where none can.
imported_memories::shared memory_of(const exported_device_elements& from, std::uint16_t of, const detail::instance_record& target,
                                    base::thread_context& context);
/// Copies those of `boxes`, in coordinates of `to`; `shift` as in a request. The memory is held until the event has ended.
event copy_from(const imported_memories::shared& in, const exported_device_elements& from, const detail::instance_handle& to, std::span<const box> boxes,
                const point& shift, const std::source_location& where);

}  // namespace stretto::data
