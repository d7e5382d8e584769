// program_bytes.hpp - elements of an instance as bytes side by side in C order, in memory of the host that the caller lends.
//
// Threads     any thread of the runtime.
// Cost        an ordinary operation between the instance and one over the bytes; also where the instance is a device's.
#pragma once

#include <cstddef>
#include <source_location>

#include "data/instance_record.hpp"

namespace stretto::detail {
struct reduction_kind;
}

namespace stretto::data {

/// `bytes` outlive the event that is returned. `r` exists and has all of `part`.
event copy_to_bytes(const detail::instance_handle& from, const box& part, std::byte* bytes, const std::source_location& where);
event copy_from_bytes(std::byte* bytes, const detail::instance_handle& to, const box& part, const std::source_location& where);
/// The bytes are right-hand sides of `kind`.
event reduce_from_bytes(std::byte* bytes, const detail::instance_handle& to, const box& part, const detail::reduction_kind& kind,
                        const std::source_location& where);

/// Where the elements of `part` lie side by side in memory of the host, or of a device that the host sees, so that they need not be copied; else
/// null. Always null where accesses are checked: the checks see operations, not bytes.
std::byte* dense_bytes(const detail::instance_handle& h, const box& part, base::thread_context& context) noexcept;

/// Whether messages between nodes go from and to the instance in place: it is in memory of the host, or in that of a device that the host sees or
/// whoever moves them takes. Never where accesses are checked.
bool is_for_messages(const detail::instance_record& r, base::thread_context& context) noexcept;
/// As dense_bytes, of any such memory.
struct message_bytes {
  std::byte* first = nullptr;
  bool on_device = false;
};
message_bytes bytes_for_messages(const detail::instance_handle& h, const box& part, base::thread_context& context) noexcept;

/// Where accesses are checked, an event that has happened and follows all that has begun: for operations that were ordered in ways that
/// the checks do not see, by other nodes or by what was lent. Else none.
event ordered_unseen(base::thread_context& context, const std::source_location& where);

}  // namespace stretto::data
