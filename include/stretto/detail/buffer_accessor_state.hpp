// buffer_accessor_state.hpp - host access to elements of a buffer: the functions of the compiled core.
#pragma once

#include <stretto/detail/buffer_handle.hpp>
#include <stretto/event.hpp>
#include <stretto/instance.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

namespace buffers {
struct buffer_accessor_state;
}  // namespace buffers

namespace detail {

/// Ends the access of host code.
struct release_buffer_accessor {
  void operator()(buffers::buffer_accessor_state* seen) const noexcept;
};
using buffer_accessor_pointer = std::unique_ptr<buffers::buffer_accessor_state, release_buffer_accessor>;
std::byte* first_of(const buffers::buffer_accessor_state& seen, data::layout& shape);
/// Copies the elements, dense in C order.
void copy_accessed(const buffers::buffer_accessor_state& seen, std::byte* to);
/// The elements that were read, if the program is checked; otherwise null.
const view_limits* limits_of(const buffers::buffer_accessor_state& seen) noexcept;
void look_at(const view_limits& limits, const std::int64_t* at, std::size_t axes);
/// Throws B09, because a dry run has no values.
[[noreturn]] void refuse_value(const std::source_location& where);
struct later_buffer_accessor {
  event ready;
  buffer_accessor_pointer seen;
};
later_buffer_accessor see_elements(const buffer_handle& h, const box& part, const std::source_location& where);
/// Takes the elements once they are ready. From then on hang reports name the access.
buffer_accessor_pointer give_elements(later_buffer_accessor& later);

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
