// object_handle.hpp - the untyped handle of objects, and the functions of the compiled core for it.
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/box.hpp>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/future.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/place.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string_view>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

namespace objects {
struct object_record;
}

namespace detail {

/// The untyped handle of an object: a counted reference to its record.
class object_handle {
 public:
  object_handle() noexcept = default;
  explicit object_handle(objects::object_record* r) noexcept : record_(r) {}
  object_handle(const object_handle& other) noexcept;
  object_handle(object_handle&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  object_handle& operator=(object_handle other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~object_handle();

  objects::object_record* get() const noexcept { return record_; }
  friend bool operator==(const object_handle& a, const object_handle& b) noexcept { return a.record_ == b.record_; }

 private:
  objects::object_record* record_ = nullptr;
};

struct object_request {
  box elements;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1, alignment = 1;
  std::string_view name;
  const void* from = nullptr;  // its first elements, dense; null: unwritten
  place memory = {};           // shared by the host and a device; place{}: the runtime decides
};
object_handle make_object(const object_request& request, const std::source_location& where);
box elements_of(const object_handle& h, const std::source_location& where);
void remove_from_devices(const object_handle& h, const std::source_location& where);

/// A new object with the elements that this one has after all operations submitted so far.
object_handle copy_of_object(const object_handle& h);
/// Replaces a shared object by a copy of its own.
void separate_object(object_handle& h);
void write_object(field_writer& to, const object_handle& h);
/// Throws B40 for an object of another element type or number of axes than `like`.
object_handle read_object(field_reader& from, const object_request& like);
inline constexpr std::size_t most_bytes_of_name = 256;  // of an object in a message, usually

/// Elements to which host code has access.
struct object_accessor_state;
void release_elements(object_accessor_state* held) noexcept;
struct release_object_accessor {
  void operator()(object_accessor_state* held) const noexcept { release_elements(held); }
};
using object_accessor_pointer = std::unique_ptr<object_accessor_state, release_object_accessor>;
std::byte* first_of(const object_accessor_state& held, data::layout& shape);
future<object_accessor_pointer> hold_elements(const object_handle& h, const box& part, access how,
                                              const std::source_location& where);
event copy_elements(const object_handle& h, const box& part, access how, std::byte* outside,
                    const std::source_location& where);

struct object_access;

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
