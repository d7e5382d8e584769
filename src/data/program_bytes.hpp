// program_bytes.hpp - copies between an instance and host memory of the caller that is dense in C order.
//
// Threads     any thread of the runtime.
// Cost        an ordinary operation between the instance and one over the bytes, also if the instance is on a device.
#pragma once

#include <cstddef>
#include <source_location>

#include "data/instance_record.hpp"

namespace stretto::detail {
struct reduction_kind;
}

namespace stretto::data {

/// `bytes` must outlive the returned event. The instance must exist and have all of `part`.
event copy_to_bytes(const detail::instance_handle& from, const box& part, std::byte* bytes,
                    const std::source_location& where);
event copy_from_bytes(std::byte* bytes, const detail::instance_handle& to, const box& part,
                      const std::source_location& where);
/// The bytes are right-hand sides of `kind`.
event reduce_from_bytes(std::byte* bytes, const detail::instance_handle& to, const box& part,
                        const detail::reduction_kind& kind, const std::source_location& where);

/// The address of `part` if it is contiguous in memory that the host addresses, so that no copy is needed; else null.
/// Always null if accesses are checked: the checks see operations, not bytes.
std::byte* dense_bytes(const detail::instance_handle& h, const box& part, base::thread_context& context) noexcept;

/// Whether messages between nodes read and write the instance in place: it is in host memory, or in device memory that
/// the host or the transport addresses. Never if accesses are checked.
bool is_for_messages(const detail::instance_record& r, base::thread_context& context) noexcept;
/// As dense_bytes, for all such memory.
struct message_bytes {
  std::byte* first = nullptr;
  bool on_device = false;
};
message_bytes bytes_for_messages(const detail::instance_handle& h, const box& part,
                                 base::thread_context& context) noexcept;

/// If accesses are checked, an event that has triggered and follows all operations that have begun: for operations that
/// were ordered by means that the checks do not see (other nodes, exports). Else none.
event ordered_unseen(base::thread_context& context, const std::source_location& where);

}  // namespace stretto::data
