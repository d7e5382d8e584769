// topology_arguments.hpp - topologies that programs describe or ask for.
//
// Errors      call_error: dims, topology, argument.
#pragma once

#include <variant>
#include <vector>

#include "ranks/binding/handles.hpp"

namespace stretto::ranks {

template <class Topology>
const Topology& topology_of(MPI_Comm comm, const char* kind) {
  const topology* arrangement = object_of(comm).arrangement();
  const auto* found = arrangement ? std::get_if<Topology>(arrangement) : nullptr;
  if (!found) throw call_error(error_class::topology, std::string("the communicator is no ") + kind);
  return *found;
}

inline const cartesian_grid& grid_of(MPI_Comm comm) { return topology_of<cartesian_grid>(comm, "Cartesian grid"); }

/// The grid that a program describes.
inline cartesian_grid described_grid(int ndims, const int* dims, const int* periods) {
  if (ndims < 0) throw call_error(error_class::dims, "ndims is " + std::to_string(ndims));
  if (ndims > 0) required(dims, "dims"), required(periods, "periods");
  std::vector<grid_dimension> dimensions;
  for (int i = 0; i < ndims; ++i) dimensions.push_back({dims[i], periods[i] != 0});
  return cartesian_grid(std::move(dimensions));
}

/// A list with its length; `name` is that of the length.
inline std::vector<int> argument_list(const int* list, int length, const char* name) {
  if (length < 0) throw call_error(error_class::argument, std::string(name) + " is " + std::to_string(length));
  if (length > 0) required(list, "a list");
  return {list, list + length};
}

}  // namespace stretto::ranks
