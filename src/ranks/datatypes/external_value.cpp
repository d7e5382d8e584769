// external_value.cpp - conversion of sizes, of byte orders and of the long double of x86.
#include "ranks/datatypes/external_value.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace stretto::ranks {

namespace {

/// Copies a value of the same size between the byte order of this machine and big endian.
void copy_reversed(const std::byte* from, std::byte* to, std::size_t size) {
  if constexpr (std::endian::native == std::endian::big) std::memcpy(to, from, size);
  else std::reverse_copy(from, from + size, to);
}

/// Whether the byte of an integer that another size lacks only repeats its sign.
bool is_extension(std::byte byte, bool is_negative) { return byte == (is_negative ? std::byte{0xff} : std::byte{0}); }

/// An integer of `size` bytes in big endian as one of `new_size` bytes.
bool resize_integer(const std::byte* from, std::size_t size, std::byte* to, std::size_t new_size, bool is_signed) {
  const bool is_negative = is_signed && (from[0] & std::byte{0x80}) != std::byte{0};
  if (new_size >= size) {
    std::fill_n(to, new_size - size, is_negative ? std::byte{0xff} : std::byte{0});
    std::copy_n(from, size, to + (new_size - size));
    return true;
  }
  const std::size_t cut = size - new_size;
  std::copy_n(from + cut, new_size, to);
  const bool is_same = std::all_of(from, from + cut, [=](std::byte b) { return is_extension(b, is_negative); });
  const bool is_still_negative = is_signed && (to[0] & std::byte{0x80}) != std::byte{0};
  return is_same && is_still_negative == is_negative;
}

constexpr bool is_x87 = std::numeric_limits<long double>::digits == 64;

using wide = unsigned __int128;

/// The 80-bit format has the sign and exponent of the 128-bit one, and its leading digit is stored.
wide quad_of(const std::byte* x87) {
  std::uint64_t fraction;
  std::uint16_t head;
  std::memcpy(&fraction, x87, 8);
  std::memcpy(&head, x87 + 8, 2);
  return static_cast<wide>(head) << 112 | static_cast<wide>(fraction << 1) << 48;
}

/// Rounds to nearest, to the even one of two.
void store_x87(wide quad, std::byte* x87) {
  const auto head = static_cast<std::uint16_t>(quad >> 112);
  const auto exponent = head & 0x7fff;
  const wide digits = quad & ((static_cast<wide>(1) << 112) - 1);
  auto fraction = static_cast<std::uint64_t>(digits >> 49);
  const wide rest = digits & ((static_cast<wide>(1) << 49) - 1), half = static_cast<wide>(1) << 48;
  std::uint16_t new_head = head;
  if (exponent != 0) fraction |= std::uint64_t{1} << 63;
  if (exponent == 0x7fff && digits != 0) fraction |= std::uint64_t{1} << 62;  // a NaN whatever its digits
  if (exponent != 0x7fff && (rest > half || (rest == half && (fraction & 1) != 0)) && ++fraction == 0) {
    fraction = std::uint64_t{1} << 63;
    ++new_head;
  }
  if (exponent == 0 && fraction >> 63 != 0) ++new_head;  // rounded up to the smallest normal number
  std::memcpy(x87, &fraction, 8);
  std::memcpy(x87 + 8, &new_head, 2);
  std::memset(x87 + 10, 0, 6);
}

/// A long double, or one part of a complex one.
void long_double_to_external(const std::byte* value, std::byte* external) {
  const wide quad = quad_of(value);
  copy_reversed(reinterpret_cast<const std::byte*>(&quad), external, 16);
}

void long_double_from_external(const std::byte* external, std::byte* value) {
  wide quad;
  copy_reversed(external, reinterpret_cast<std::byte*>(&quad), 16);
  store_x87(quad, value);
}

/// A value is converted part by part: a complex one has two.
int parts_of(const basic_type& type) { return type.kind == value_kind::complex ? 2 : 1; }

bool is_long_double(const basic_type& type) {
  return is_x87 && (type.number == 0x220 || type.number == 0x224 || type.number == 0x225);
}

bool is_bytes(const basic_type& type) { return type.kind == value_kind::bytes || type.size == 1; }

}  // namespace

bool to_external(const basic_type& type, const std::byte* values, std::int64_t count, std::byte* external) {
  if (is_bytes(type)) {
    std::memcpy(external, values, static_cast<std::size_t>(count) * type.size);
    return true;
  }
  const int parts = parts_of(type);
  const std::size_t size = type.size / parts, external_size = type.external_size / parts;
  bool is_exact = true;
  for (std::int64_t i = 0; i < count * parts; ++i, values += size, external += external_size) {
    std::byte reversed[16];
    if (is_long_double(type)) {
      long_double_to_external(values, external);
    } else if (size == external_size) {
      copy_reversed(values, external, size);
    } else {
      copy_reversed(values, reversed, size);
      const bool is_signed = type.kind == value_kind::signed_integer;
      is_exact &= resize_integer(reversed, size, external, external_size, is_signed);
    }
  }
  return is_exact;
}

bool from_external(const basic_type& type, const std::byte* external, std::int64_t count, std::byte* values) {
  if (is_bytes(type)) {
    std::memcpy(values, external, static_cast<std::size_t>(count) * type.size);
    return true;
  }
  const int parts = parts_of(type);
  const std::size_t size = type.size / parts, external_size = type.external_size / parts;
  bool is_exact = true;
  for (std::int64_t i = 0; i < count * parts; ++i, values += size, external += external_size) {
    std::byte resized[16];
    if (is_long_double(type)) {
      long_double_from_external(external, values);
    } else if (size == external_size) {
      copy_reversed(external, values, size);
    } else {
      const bool is_signed = type.kind == value_kind::signed_integer;
      is_exact &= resize_integer(external, external_size, resized, size, is_signed);
      copy_reversed(resized, values, size);
    }
  }
  return is_exact;
}

}  // namespace stretto::ranks
