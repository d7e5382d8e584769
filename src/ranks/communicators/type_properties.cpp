// type_properties.cpp - the table, under its lock.
#include "ranks/communicators/type_properties.hpp"

namespace stretto::ranks {

type_properties* type_property_table::find(const datatype& type) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&type);
  return found == entries_.end() ? nullptr : &found->second;
}

type_properties& type_property_table::of(const datatype& type) {
  const std::lock_guard lock(mutex_);
  return entries_[&type];
}

void type_property_table::forget(const datatype& type) {
  const std::lock_guard lock(mutex_);
  entries_.erase(&type);
}

}  // namespace stretto::ranks
