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
  throw error("B40", "these bytes are no value of the type that is read from them")
      .fact("read", std::string(what) + ": " + std::to_string(wanted))
      .fact("there", std::to_string(left))
      .because("they were written as another type, by another version of the program, or have been damaged")
      .remedy("read what was written, in the same order: fields() of both sides must name the same parts");
}

}  // namespace detail
}  // namespace stretto
