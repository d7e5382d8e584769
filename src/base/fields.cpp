#include <stretto/error.hpp>
#include <stretto/fields.hpp>

#include <string>

namespace stretto {

void field_reader::bytes_behind(void* first, std::size_t n) {
  if (n > left()) detail::refuse_fields("bytes", n, left());
  more_->read(left_, static_cast<std::byte*>(first), n);
}

namespace detail {

void refuse_fields(const char* what, std::uint64_t wanted, std::uint64_t left) {
  throw error("B40", "the bytes do not hold a value of the type that is read")
      .fact("needed", std::string(what) + ": " + std::to_string(wanted))
      .fact("found", std::to_string(left))
      .because("they were written as another type or by another version of the program, or they are damaged")
      .remedy("read the types that were written, in the same order: fields() must name the same members on both sides");
}

}  // namespace detail
}  // namespace stretto
