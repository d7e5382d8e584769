// type_constructors.cpp - the constructors but for those of arrays and of Fortran.
#include "ranks/datatypes/type_constructors.hpp"

#include <string>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/argument_record.hpp"
#include "ranks/datatypes/checked_number.hpp"

namespace stretto::ranks {

namespace {

void check_count(std::int64_t count) {
  if (count < 0) throw call_error(error_class::count, "count is " + std::to_string(count));
}

void check_length(std::int64_t length) {
  if (length < 0) throw call_error(error_class::argument, "a block length is " + std::to_string(length));
}

void check_lists(counts lengths, counts displacements) {
  if (lengths.size() != displacements.size()) throw call_error(error_class::argument, "the lists differ in length");
  for (const std::int64_t length : lengths) check_length(length);
}

datatype_ref made(type_map map, argument_record& record, const type_bounds* bounds = nullptr) {
  return datatype_ref(new datatype(std::move(map), record.take(), bounds));
}

type_map one_block(std::int64_t length, const datatype& type) {
  type_map map;
  map.blocks = {{0, length, datatype_ref(&type)}};
  return map;
}

/// Blocks at displacements, which are multiples of `unit` bytes.
type_map listed_blocks(counts lengths, counts displacements, std::int64_t unit, const datatype& type) {
  check_lists(lengths, displacements);
  type_map map;
  map.blocks.reserve(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    map.blocks.push_back({product(displacements[i], unit), lengths[i], datatype_ref(&type)});
  }
  return map;
}

type_map equal_blocks(std::int64_t length, counts displacements, std::int64_t unit, const datatype& type) {
  check_length(length);
  type_map map;
  map.blocks.reserve(displacements.size());
  for (const std::int64_t displacement : displacements) {
    map.blocks.push_back({product(displacement, unit), length, datatype_ref(&type)});
  }
  return map;
}

type_map repeated_block(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type) {
  check_count(count);
  check_length(length);
  type_map map = one_block(length, type);
  map.count = count;
  map.stride = stride;
  return map;
}

}  // namespace

datatype_ref make_dup(const datatype& type) {
  argument_record record(type_constructor::dup, count_kind::normal);
  datatype_ref copy = made(one_block(1, type), record.type(type));
  if (type.is_committed()) copy->commit();
  return copy;
}

datatype_ref make_copy(const datatype& type) {
  const type_bounds* bounds = type.bounds().are_set ? &type.bounds() : nullptr;
  return datatype_ref(new datatype(type.map(), type.arguments(), bounds));
}

datatype_ref make_contiguous(std::int64_t count, const datatype& type, count_kind kind) {
  check_count(count);
  argument_record record(type_constructor::contiguous, kind);
  return made(one_block(count, type), record.count(count).type(type));
}

datatype_ref make_vector(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type,
                         count_kind kind) {
  argument_record record(type_constructor::vector, kind);
  record.count(count).count(length).count(stride).type(type);
  return made(repeated_block(count, length, product(stride, type.extent()), type), record);
}

datatype_ref make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride, const datatype& type,
                          count_kind kind) {
  argument_record record(type_constructor::hvector, kind);
  record.count(count).count(length).address(stride).type(type);
  return made(repeated_block(count, length, stride, type), record);
}

datatype_ref make_indexed(counts lengths, counts displacements, const datatype& type, count_kind kind) {
  argument_record record(type_constructor::indexed, kind);
  record.count(std::ssize(lengths)).count_all(lengths).count_all(displacements).type(type);
  return made(listed_blocks(lengths, displacements, type.extent(), type), record);
}

datatype_ref make_hindexed(counts lengths, counts displacements, const datatype& type, count_kind kind) {
  argument_record record(type_constructor::hindexed, kind);
  record.count(std::ssize(lengths)).count_all(lengths).addresses(displacements).type(type);
  return made(listed_blocks(lengths, displacements, 1, type), record);
}

datatype_ref make_indexed_block(std::int64_t length, counts displacements, const datatype& type, count_kind kind) {
  argument_record record(type_constructor::indexed_block, kind);
  record.count(std::ssize(displacements)).count(length).count_all(displacements).type(type);
  return made(equal_blocks(length, displacements, type.extent(), type), record);
}

datatype_ref make_hindexed_block(std::int64_t length, counts displacements, const datatype& type, count_kind kind) {
  argument_record record(type_constructor::hindexed_block, kind);
  record.count(std::ssize(displacements)).count(length).addresses(displacements).type(type);
  return made(equal_blocks(length, displacements, 1, type), record);
}

datatype_ref make_struct(counts lengths, counts displacements, std::span<const datatype* const> types,
                         count_kind kind) {
  check_lists(lengths, displacements);
  if (types.size() != lengths.size()) throw call_error(error_class::argument, "the lists differ in length");
  argument_record record(type_constructor::structure, kind);
  record.count(std::ssize(lengths)).count_all(lengths).addresses(displacements);
  type_map map;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i]) throw call_error(error_class::type, "type " + std::to_string(i) + " is MPI_DATATYPE_NULL");
    record.type(*types[i]);
    map.blocks.push_back({displacements[i], lengths[i], datatype_ref(types[i])});
  }
  return made(std::move(map), record);
}

datatype_ref make_resized(const datatype& type, std::int64_t lb, std::int64_t extent, count_kind kind) {
  argument_record record(type_constructor::resized, kind);
  record.address(lb).address(extent).type(type);
  type_bounds bounds;
  bounds.lb = lb;
  bounds.ub = sum(lb, extent);
  return made(one_block(1, type), record, &bounds);
}

}  // namespace stretto::ranks
