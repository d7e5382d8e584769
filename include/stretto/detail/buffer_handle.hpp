// buffer_handle.hpp - the untyped handle of buffers, and the functions of the compiled core for it.
#pragma once

#include <stretto/box.hpp>

#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>

STRETTO_API_BEGIN

namespace stretto {

namespace buffers {
struct buffer_record;
}  // namespace buffers

namespace detail {

/// The untyped handle of a buffer: a counted reference to its record.
using buffer_handle = std::shared_ptr<buffers::buffer_record>;

struct buffer_description {
  box elements;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1, alignment = 1;
  std::string_view name;
  const void* from = nullptr;  // its first elements, dense, equal on all nodes; null: unwritten
};
buffer_handle make_buffer(const buffer_description& request, const std::source_location& where);
box elements_of(const buffer_handle& h, const std::source_location& where);
buffer_handle resize_buffer(const buffer_handle& h, const box& elements, std::string_view name,
                            const std::source_location& where);

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
