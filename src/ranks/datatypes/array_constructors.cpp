// array_constructors.cpp - parts of arrays: subarray and darray.
#include <algorithm>
#include <string>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/datatypes/argument_record.hpp"
#include "ranks/datatypes/checked_number.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

[[noreturn]] void refuse(const std::string& text) { throw call_error(error_class::argument, text); }

/// Types within arrays that no program sees.
datatype_ref inner_type(type_map map) { return datatype_ref(new datatype(std::move(map), {})); }

/// `count` times a type, `stride` bytes apart.
datatype_ref repeated(const datatype_ref& type, std::int64_t count, std::int64_t stride) {
  type_map map;
  map.blocks = {{0, 1, type}};
  map.count = count;
  map.stride = stride;
  return inner_type(std::move(map));
}

/// The dimensions from the one whose neighbours are adjacent in memory to the one whose are farthest apart.
std::vector<std::size_t> dimensions_from_fastest(std::size_t number, array_order order) {
  std::vector<std::size_t> dimensions(number);
  for (std::size_t i = 0; i < number; ++i) dimensions[i] = order == array_order::fortran ? i : number - 1 - i;
  return dimensions;
}

void check_order(array_order order) {
  if (order != array_order::c && order != array_order::fortran) {
    refuse("order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
  }
}

/// The whole: one element of the array type is the full array.
datatype_ref array_type(const datatype_ref& part, std::int64_t offset, std::int64_t bytes, argument_record& record) {
  type_map map;
  map.blocks = {{offset, 1, part}};
  type_bounds bounds;
  bounds.ub = bytes;
  return datatype_ref(new datatype(std::move(map), record.take(), &bounds));
}

void check_subarray(counts sizes, counts subsizes, counts starts) {
  if (subsizes.size() != sizes.size() || starts.size() != sizes.size()) refuse("the lists differ in length");
  if (sizes.empty()) refuse("ndims is 0");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string where = " in dimension " + std::to_string(i);
    if (sizes[i] < 1) refuse("the size is " + std::to_string(sizes[i]) + where);
    if (subsizes[i] < 1 || subsizes[i] > sizes[i]) {
      refuse("a part of " + std::to_string(subsizes[i]) + " of " + std::to_string(sizes[i]) + where);
    }
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      refuse("the part begins at " + std::to_string(starts[i]) + where);
    }
  }
}

}  // namespace

datatype_ref make_subarray(counts sizes, counts subsizes, counts starts, array_order order, const datatype& type,
                           count_kind kind) {
  check_subarray(sizes, subsizes, starts);
  check_order(order);
  argument_record record(type_constructor::subarray, kind);
  record.integer(static_cast<int>(sizes.size())).count_all(sizes).count_all(subsizes).count_all(starts);
  record.integer(static_cast<int>(order)).type(type);
  datatype_ref part(&type);
  std::int64_t stride = type.extent(), offset = 0;
  for (const std::size_t i : dimensions_from_fastest(sizes.size(), order)) {
    part = repeated(part, subsizes[i], stride);
    offset = sum(offset, product(starts[i], stride));
    stride = product(stride, sizes[i]);
  }
  return array_type(part, offset, stride, record);
}

namespace {

/// The part of a dimension that a process has, as blocks of indices.
struct owned_indices {
  std::int64_t first = 0;   // of the first block
  std::int64_t length = 0;  // of all blocks but the last
  std::int64_t blocks = 0;  // whole ones
  std::int64_t step = 0;    // from block to block
  std::int64_t rest = 0;    // length of the last block, which is not whole; 0: none
};

/// `size` indices in blocks of `length`, one after another for each of `processes`; those of process `coordinate`.
owned_indices cyclic_indices(std::int64_t size, std::int64_t length, std::int64_t processes, std::int64_t coordinate) {
  owned_indices owned{coordinate * length, length, 0, length * processes, 0};
  if (owned.first >= size) return owned;
  const std::int64_t beyond = size - owned.first;
  owned.blocks = beyond / owned.step;
  const std::int64_t rest = beyond % owned.step;
  if (rest >= length) ++owned.blocks;
  else owned.rest = rest;
  return owned;
}

owned_indices indices_of(const array_distribution& array, std::size_t i, std::int64_t coordinate) {
  const std::int64_t size = array.sizes[i], processes = array.processes[i];
  const int argument = array.arguments[i];
  const bool is_default = argument == default_distribution_argument;
  const std::string where = " in dimension " + std::to_string(i);
  if (!is_default && argument < 1) refuse("the argument of the distribution is " + std::to_string(argument) + where);
  switch (static_cast<distribution>(array.distributions[i])) {
    case distribution::none:
      if (processes != 1) refuse("several processes share what is not distributed" + where);
      return cyclic_indices(size, size, 1, 0);
    case distribution::cyclic: return cyclic_indices(size, is_default ? 1 : argument, processes, coordinate);
    case distribution::block: break;
    default: refuse("the distribution is unknown" + where);
  }
  const std::int64_t length = is_default ? (size + processes - 1) / processes : argument;
  if (length * processes < size) refuse("blocks of " + std::to_string(length) + " do not cover the array" + where);
  return cyclic_indices(size, length, processes, coordinate);
}

datatype_ref owned_part(const datatype_ref& type, const owned_indices& owned, std::int64_t stride) {
  type_map map;
  const datatype_ref block = repeated(type, owned.length, stride);
  map.blocks.push_back({owned.first * stride, 1, repeated(block, owned.blocks, owned.step * stride)});
  const std::int64_t last = owned.first + owned.blocks * owned.step;
  map.blocks.push_back({last * stride, 1, repeated(type, owned.rest, stride)});
  return inner_type(std::move(map));
}

void check_darray(const array_distribution& array) {
  const std::size_t number = array.sizes.size();
  if (array.distributions.size() != number || array.arguments.size() != number || array.processes.size() != number) {
    refuse("the lists differ in length");
  }
  if (number == 0) refuse("ndims is 0");
  check_order(array.order);
  if (array.rank < 0 || array.rank >= array.size) refuse("rank is " + std::to_string(array.rank));
  std::int64_t processes = 1;
  for (std::size_t i = 0; i < number; ++i) {
    if (array.sizes[i] < 1) refuse("the size of dimension " + std::to_string(i) + " is not positive");
    if (array.processes[i] < 1) refuse("no processes in dimension " + std::to_string(i));
    processes = product(processes, array.processes[i]);
  }
  if (processes != array.size) refuse("the grid has " + std::to_string(processes) + " processes");
}

/// The coordinates of the rank in the grid of processes, which is in C's order whatever the order of the array.
std::vector<std::int64_t> coordinates_of(const array_distribution& array) {
  std::vector<std::int64_t> coordinates(array.sizes.size());
  std::int64_t rank = array.rank;
  for (std::size_t i = coordinates.size(); i-- > 0; rank /= array.processes[i]) {
    coordinates[i] = rank % array.processes[i];
  }
  return coordinates;
}

}  // namespace

datatype_ref make_darray(const array_distribution& array, const datatype& type, count_kind kind) {
  check_darray(array);
  argument_record record(type_constructor::darray, kind);
  record.integer(array.size).integer(array.rank).integer(static_cast<int>(array.sizes.size())).count_all(array.sizes);
  for (const auto list : {array.distributions, array.arguments, array.processes}) {
    for (const int value : list) record.integer(value);
  }
  record.integer(static_cast<int>(array.order)).type(type);
  const std::vector<std::int64_t> coordinates = coordinates_of(array);
  datatype_ref part(&type);
  std::int64_t stride = type.extent();
  for (const std::size_t i : dimensions_from_fastest(array.sizes.size(), array.order)) {
    part = owned_part(part, indices_of(array, i, coordinates[i]), stride);
    stride = product(stride, array.sizes[i]);
  }
  return array_type(part, 0, stride, record);
}

}  // namespace stretto::ranks
