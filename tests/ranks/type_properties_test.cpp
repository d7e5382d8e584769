#include <doctest/doctest.h>

#include <string>

#include "ranks/communicators/type_properties.hpp"
#include "ranks/datatypes/type_constructors.hpp"

using namespace stretto;

TEST_CASE("types have a name of the program until their handles are freed") {
  ranks::type_property_table table;
  const ranks::datatype& predefined = *ranks::predefined_type(0x209);
  const ranks::datatype_ref derived = ranks::make_contiguous(2, predefined);
  CHECK(table.find(*derived) == nullptr);
  CHECK(!table.of(*derived).has_name());
  table.of(*derived).set_name("");
  CHECK(table.find(*derived)->has_name());
  table.of(predefined).set_name(std::string(200, 'n'));
  CHECK(table.find(predefined)->name() == std::string(127, 'n'));
  table.forget(*derived);
  CHECK(table.find(*derived) == nullptr);
  CHECK(table.find(predefined) != nullptr);
}

TEST_CASE("pairs and basic types have the names of MPI, and derived types none") {
  CHECK(ranks::predefined_name(*ranks::predefined_type(0x229)) == "MPI_DOUBLE_INT");
  CHECK(ranks::predefined_name(*ranks::predefined_type(0x209)) == "MPI_INT");
  CHECK(ranks::predefined_name(*ranks::make_dup(*ranks::predefined_type(0x209))).empty());
}
