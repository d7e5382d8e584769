// seen_elements.hpp - host access to elements of a buffer: the functions of the compiled core.
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
struct seen_elements;
}  // namespace buffers

namespace detail {

/// Ends the access of host code.
struct release_seen {
  void operator()(buffers::seen_elements* seen) const noexcept;
};
using seen_pointer = std::unique_ptr<buffers::seen_elements, release_seen>;
std::byte* first_of(const buffers::seen_elements& seen, data::layout& shape);
/// Copies the elements, dense in C order.
void copy_seen(const buffers::seen_elements& seen, std::byte* to);
/// The elements that were read, if the program is checked; otherwise null.
const view_limits* limits_of(const buffers::seen_elements& seen) noexcept;
void look_at(const view_limits& limits, const std::int64_t* at, std::size_t axes);
/// Throws B09, because a dry run has no values.
[[noreturn]] void refuse_value(const std::source_location& where);
struct seen_later {
  event ready;
  seen_pointer seen;
};
seen_later see_elements(const buffer_handle& h, const box& part, const std::source_location& where);
/// Takes the elements once they are ready. From then on hang reports name the access.
seen_pointer give_elements(seen_later& later);

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
