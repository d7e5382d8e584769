// shared_name.hpp - the names of objects that a node has shared, as the compiled core knows them.
#pragma once

#include <stretto/detail/object_handle.hpp>
#include <stretto/task.hpp>

#include <compare>
#include <cstdint>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto::detail {

/// Which of the objects that a node has shared.
struct shared_name {
  std::uint64_t number = 0;  // from 1
  std::uint16_t node = 0;
  friend constexpr auto operator<=>(const shared_name&, const shared_name&) noexcept = default;
};
shared_name share_object(const object_handle& h, const std::source_location& where);
completion& unshare_object(const shared_name& of, const task_type& type, const std::source_location& where);
/// Throws G07, G08.
object_handle shared_object(const shared_name& is, const std::source_location& where);
/// Of this node, for a handler.
object_handle shared_object(std::uint64_t number);
/// Throws G07 for what names nothing.
std::uint32_t node_of(const shared_name& is, const std::source_location& where);

}  // namespace stretto::detail

STRETTO_API_END
