// fortran_constructors.cpp - datatypes of Fortran by the precision and range that a program needs.
#include <algorithm>
#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/argument_record.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

datatype_ref made(std::uint16_t basic, argument_record& record) {
  type_map map;
  map.blocks = {{0, 1, datatype_ref(predefined_type(basic))}};
  datatype_ref type(new datatype(std::move(map), record.take()));
  type->commit();
  return type;
}

struct kind_of_number {
  int precision;  // decimal digits
  int range;      // decimal exponent
  std::uint16_t real;
  std::uint16_t complex;
};

const kind_of_number& kind_for(int precision, int range) {
  static constexpr kind_of_number kinds[] = {{6, 37, 0x2d2, 0x2db}, {15, 307, 0x2da, 0x2e3}, {33, 4931, 0x2e2, 0x2eb}};
  const auto* found = std::ranges::find_if(
      kinds, [=](const kind_of_number& kind) { return precision <= kind.precision && range <= kind.range; });
  if (found != std::end(kinds)) return *found;
  throw call_error(error_class::argument,
                   "no type has " + std::to_string(precision) + " digits and the range " + std::to_string(range));
}

}  // namespace

datatype_ref make_f90_real(int precision, int range) {
  argument_record record(type_constructor::f90_real, count_kind::normal);
  return made(kind_for(precision, range).real, record.integer(precision).integer(range));
}

datatype_ref make_f90_complex(int precision, int range) {
  argument_record record(type_constructor::f90_complex, count_kind::normal);
  return made(kind_for(precision, range).complex, record.integer(precision).integer(range));
}

datatype_ref make_f90_integer(int range) {
  static constexpr int ranges[] = {2, 4, 9, 18, 38};
  const auto* found = std::ranges::lower_bound(ranges, range);
  if (found == std::end(ranges)) {
    throw call_error(error_class::argument, "no integer has the range " + std::to_string(range));
  }
  argument_record record(type_constructor::f90_integer, count_kind::normal);
  return made(type_of_size(type_class::integer, 1 << (found - ranges)), record.integer(range));
}

}  // namespace stretto::ranks
