// shared_name.hpp - the untyped form of global pointers, and the functions of the compiled core for them.
#pragma once

#include <stretto/detail/object_handle.hpp>
#include <stretto/task.hpp>

#include <compare>
#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The untyped form of a global pointer: a node, and the number of a shared object there.
struct shared_name {
  std::uint64_t number = 0;  // from 1
  std::uint16_t node = 0;
  friend constexpr auto operator<=>(const shared_name&, const shared_name&) noexcept = default;
};
shared_name share_object(const object_handle& h, const std::source_location& where);
completion& unshare_object(const shared_name& of, const task_type& type, const std::source_location& where);
/// Throws G07, G08.
object_handle shared_object(const shared_name& is, const std::source_location& where);
/// The object of that number on this node, for a handler. Throws G07.
object_handle shared_object(std::uint64_t number);
/// The number of the node in the job. Throws G07 for a null pointer.
std::uint32_t node_of(const shared_name& is, const std::source_location& where);

}  // namespace stretto::detail

STRETTO_API_END
