// instance_handle.hpp - what names an instance, and what the compiled core does with it.
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

/// What identifies an instance: where its record is, and which of the record's instances it is, its node's number
/// first. For an instance that another node asked for, `record` is no address but a number of that node's, and only its
/// owner knows the record.
struct instance_handle {
  instance_record* record = nullptr;
  std::uint64_t key = 0;
  friend bool operator==(const instance_handle&, const instance_handle&) = default;
};

/// Whether an instance takes memory for its elements, or contributors take it as they come.
enum class storage : std::uint8_t { by_element, by_contributors };

/// Everything of an instance that the compiled core needs to be told.
struct instance_request {
  place memory;                           // none if external
  std::byte* external = nullptr;          // the first element of memory that the program owns
  const native_memory* native = nullptr;  // the same, of the device whose memory the place is
  stretto::box box;
  std::span<const std::int64_t> strides = {};  // elements, one per axis; empty: dense in `order`
  axis_order order = axis_order::c;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1;
  std::uint32_t alignment = 1;
  storage holds = storage::by_element;
  std::string_view name;
  bool only_at_once = false;  // a handle that names nothing, rather than an instance that waits for room
};

instance_handle create_instance(const instance_request& request, const preconditions& after,
                                const std::source_location& where);
struct made_elsewhere {
  instance_handle made;
  event ready;
};
/// Without a memory: in the main one of that node.
made_elsewhere create_instance_at(std::uint32_t node, const instance_request& request, const preconditions& after,
                                  const std::source_location& where);
std::uint32_t node_of(const instance_handle& h, const std::source_location& where);
/// The handle by which an instance of this node goes here, whatever name it was given by another. Throws D24 for
/// another node's.
instance_handle handle_here(const instance_handle& h, const char* verb, const std::source_location& where);
event destroy_instance(const instance_handle& h, const preconditions& after, const std::source_location& where);
event ready_event(const instance_handle& h, const std::source_location& where);
/// Address of the first element and layout; throws D09 unless it exists.
std::byte* open_instance(const instance_handle& h, data::layout& shape, const std::source_location& where);
/// The box and strides, existing or not.
data::layout shape_of(const instance_handle& h, const std::source_location& where);
place memory_of(const instance_handle& h, const std::source_location& where);
std::string name_of(const instance_handle& h, const std::source_location& where);
struct instance_access;

}  // namespace stretto::detail

STRETTO_API_END
