// instance_handle.hpp - the untyped handle of instances, and the functions of the compiled core for it.
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/box.hpp>
#include <stretto/event.hpp>
#include <stretto/native_memory.hpp>
#include <stretto/place.hpp>
#include <stretto/task.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto::detail {

struct instance_record;

/// The untyped handle of an instance: its record, and a key that identifies the instance among those of the record and
/// begins with the number of its node. For an instance that another node requested, `record` is a number of that node,
/// and only the owner knows the record.
struct instance_handle {
  instance_record* record = nullptr;
  std::uint64_t key = 0;
  friend bool operator==(const instance_handle&, const instance_handle&) = default;
};

/// Whether an instance allocates memory for its elements, or contributors allocate memory when they need it.
enum class storage : std::uint8_t { by_element, by_contributors };

/// The properties of a new instance.
struct instance_request {
  place memory;                           // place{} if external
  std::byte* external = nullptr;          // the first element of memory that the program owns
  const native_memory* native = nullptr;  // the same in memory of the device at that place
  stretto::box box;
  std::span<const std::int64_t> strides = {};  // elements, one per axis; empty: dense in `order`
  axis_order order = axis_order::c;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1;
  std::uint32_t alignment = 1;
  storage holds = storage::by_element;
  std::string_view name;
  bool only_at_once = false;  // returns an empty handle instead of waiting for free memory
};

instance_handle create_instance(const instance_request& request, const preconditions& after,
                                const std::source_location& where);
struct made_elsewhere {
  instance_handle made;
  event ready;
};
/// Without a memory, in the main memory of that node.
made_elsewhere create_instance_at(std::uint32_t node, const instance_request& request, const preconditions& after,
                                  const std::source_location& where);
std::uint32_t node_of(const instance_handle& h, const std::source_location& where);
/// The local handle of an instance of this node, which may have got another handle from a remote node. Throws D24 for
/// an instance of another node.
instance_handle handle_here(const instance_handle& h, const char* verb, const std::source_location& where);
event destroy_instance(const instance_handle& h, const preconditions& after, const std::source_location& where);
event ready_event(const instance_handle& h, const std::source_location& where);
/// The address of the first element, and the layout. Throws D09 before the instance exists.
std::byte* open_instance(const instance_handle& h, data::layout& shape, const std::source_location& where);
/// The box and strides, also before the instance exists.
data::layout shape_of(const instance_handle& h, const std::source_location& where);
place memory_of(const instance_handle& h, const std::source_location& where);
std::string name_of(const instance_handle& h, const std::source_location& where);
struct instance_access;

}  // namespace stretto::detail

STRETTO_API_END
