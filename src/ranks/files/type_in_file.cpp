// type_in_file.cpp - replaces the basic types of a type map and scales what is counted in their extents.
#include "ranks/files/type_in_file.hpp"

#include <utility>

#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {
namespace {

/// Whether the displacements of a constructor are multiples of its element's extent.
bool counts_extents(type_constructor made_by) {
  switch (made_by) {
    case type_constructor::hvector:
    case type_constructor::hindexed:
    case type_constructor::hindexed_block:
    case type_constructor::structure:
    case type_constructor::resized: return false;
    default: return true;
  }
}

/// The element in whose extents displacements are counted, and its extents in memory and in the file.
struct counted_element {
  const datatype* type = nullptr;
  std::int64_t before = 1;
  std::int64_t after = 1;

  std::int64_t scaled(std::int64_t bytes) const { return before == 0 ? bytes : bytes / before * after; }
};

datatype_ref part_in_file(const datatype& type, const data_representation& as, const counted_element* outer);

counted_element element_of(const datatype& type, const data_representation& as) {
  const type_arguments& made_by = type.arguments();
  if (!counts_extents(made_by.constructor) || made_by.types.size() != 1) return {};
  const datatype& element = *made_by.types[0];
  return {&element, element.extent(), part_in_file(element, as, nullptr)->extent()};
}

bool has_bounds_of_its_own(type_constructor made_by) {
  return made_by == type_constructor::subarray || made_by == type_constructor::darray ||
         made_by == type_constructor::resized;
}

/// `outer`: of the array whose nameless part the type is; null if it is none.
datatype_ref derived_in_file(const datatype& type, const data_representation& as, const counted_element* outer) {
  const counted_element element = outer ? *outer : element_of(type, as);
  type_map map = type.map();
  for (type_block& block : map.blocks) {
    const bool is_part = element.type && block.type.get() != element.type;
    block.displacement = element.scaled(block.displacement);
    block.type = part_in_file(*block.type, as, is_part ? &element : nullptr);
  }
  map.stride = element.scaled(map.stride);
  type_bounds bounds = type.bounds();
  bounds.lb = element.scaled(bounds.lb);
  bounds.ub = element.scaled(bounds.ub);
  const bool keeps_bounds = has_bounds_of_its_own(type.arguments().constructor);
  return datatype_ref(new datatype(std::move(map), type.arguments(), keeps_bounds ? &bounds : nullptr));
}

datatype_ref part_in_file(const datatype& type, const data_representation& as, const counted_element* outer) {
  if (!type.basic()) return derived_in_file(type, as, outer);
  const std::int64_t bytes = as.bytes_of(type);
  return bytes == type.size() ? datatype_ref(&type) : make_contiguous(bytes, *predefined_type(0x247));  // MPI_BYTE
}

}  // namespace

datatype_ref type_in_file(const datatype& type, const data_representation& as) {
  datatype_ref made = part_in_file(type, as, nullptr);
  made->commit();
  return made;
}

}  // namespace stretto::ranks
