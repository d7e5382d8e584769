// cross_process_copy.hpp - devices of this node copy from memory of a device of another process on the same host.
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

/// On the node that is read. Empty if other processes cannot import the elements: they are not in a device's own
/// memory, its driver exports none, messages read that memory in place anyway, accesses are checked, or the option
/// device_messages forbids it.
std::optional<exported_device_elements> export_for_import(const detail::instance_record& r,
                                                          base::thread_context& context);

/// On the node that is written: whether any of its devices can import the memory. If not, its elements need not be
/// offered again.
bool can_import(const exported_device_elements& from, std::uint16_t of, base::thread_context& context);
/// The memory as imported by a device that can copy it to `target`: the device of that memory, or any device if
/// `target` is in host memory. Null if none can.
imported_memories::shared memory_of(const exported_device_elements& from, std::uint16_t of,
                                    const detail::instance_record& target, base::thread_context& context);
/// Copies the elements of `boxes`, in coordinates of `to`; `shift` as in a request. Holds the memory until the event
/// has triggered.
event copy_from(const imported_memories::shared& in, const exported_device_elements& from,
                const detail::instance_handle& to, std::span<const box> boxes, const point& shift,
                const std::source_location& where);

}  // namespace stretto::data
