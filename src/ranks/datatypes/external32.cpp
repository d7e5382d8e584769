// external32.cpp - walks the elements of a type and converts each.
#include "ranks/datatypes/external32.hpp"

#include "ranks/call_error.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/element_walk.hpp"
#include "ranks/datatypes/external_value.hpp"
#include "ranks/datatypes/host_elements.hpp"
#include "ranks/datatypes/moved_address.hpp"
#include "ranks/datatypes/packed_data.hpp"

namespace stretto::ranks {

namespace {

/// Of one element, by the parts of the type and not by its elements.
std::int64_t size_of_element(const datatype& type) {
  if (const basic_type* basic = type.basic()) return basic->external_size;
  std::int64_t bytes = 0;
  for (const type_block& block : type.map().blocks) {
    bytes = sum(bytes, product(block.length, size_of_element(*block.type)));
  }
  return product(bytes, type.map().count);
}

void check_conversion(bool is_exact) {
  if (!is_exact) throw call_error(error_class::conversion, "an integer does not fit into its other size");
}

}  // namespace

std::int64_t external_size(const datatype& type, std::int64_t count) { return product(size_of_element(type), count); }

void pack_external(const datatype& type, const void* elements, std::int64_t count, std::span<std::byte> external,
                   std::int64_t& position) {
  check_space(external_size(type, count), position, external.size());
  bool is_exact = true;
  const host_elements here(elements, count, type);
  walk_elements(type, count, 0, [&](const basic_type& basic, std::int64_t offset, std::int64_t number) {
    is_exact &= to_external(basic, moved(here.address(), offset), number, external.data() + position);
    position += number * basic.external_size;
  });
  check_conversion(is_exact);
}

void unpack_external(const datatype& type, void* elements, std::int64_t count, std::span<const std::byte> external,
                     std::int64_t& position) {
  check_space(external_size(type, count), position, external.size());
  bool is_exact = true;
  host_elements here(elements, count, type);
  walk_elements(type, count, 0, [&](const basic_type& basic, std::int64_t offset, std::int64_t number) {
    is_exact &= from_external(basic, external.data() + position, number, moved(here.address(), offset));
    position += number * basic.external_size;
  });
  here.write_back();
  check_conversion(is_exact);
}

}  // namespace stretto::ranks
