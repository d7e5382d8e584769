// type_properties.hpp - the names and attributes that a rank gives to datatypes.
//
// A datatype is immutable, predefined ones belong to all ranks, and messages may keep a type after its handle was
// freed. So what a rank attaches to the handle of a type stands in a table of the rank.
//
// Threads     a table belongs to a rank; any thread of it may call. MPI asks programs to change the properties of one
//             type from one thread at a time.
// Cost        a search among the types that have properties, which are few.
// Invariants  a type has properties at most until its handle is freed: another type may get its address.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "ranks/communicators/attribute_list.hpp"

namespace stretto::ranks {

class datatype;

class type_properties {
 public:
  /// MPI_MAX_OBJECT_NAME, which counts the zero at the end.
  static constexpr std::size_t name_limit = 128;

  bool has_name() const { return has_name_; }
  const std::string& name() const { return name_; }
  /// Cuts the name off at MPI's limit.
  void set_name(std::string_view name) {
    name_ = name.substr(0, name_limit - 1);
    has_name_ = true;
  }

  attribute_list attributes;

 private:
  bool has_name_ = false;  // else the type has its default name
  std::string name_;
};

class type_property_table {
 public:
  /// Null if the type has none. Pointers and references are valid until forget().
  type_properties* find(const datatype& type);
  /// Those of a type that may get some.
  type_properties& of(const datatype& type);
  /// When the handle of the type is freed. The attributes were removed before.
  void forget(const datatype& type);

 private:
  std::mutex mutex_;
  std::map<const datatype*, type_properties> entries_;
};

}  // namespace stretto::ranks
