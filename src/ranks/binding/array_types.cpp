// array_types.cpp - the constructors of parts of arrays.
#include <span>

#include "ranks/binding/argument_lists.hpp"
#include "ranks/binding/new_type.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

void check_dimensions(int ndims) {
  if (ndims < 1) throw call_error(error_class::argument, "ndims is " + std::to_string(ndims));
}

template <class Number>
datatype_ref subarray(int ndims, const Number* sizes, const Number* subsizes, const Number* starts, int order,
                      const datatype& type, count_kind kind) {
  check_dimensions(ndims);
  return make_subarray(listed(sizes, ndims, "array_of_sizes"), listed(subsizes, ndims, "array_of_subsizes"),
                       listed(starts, ndims, "array_of_starts"), static_cast<array_order>(order), type, kind);
}

/// The arguments that are the same for both kinds of counts.
struct process_grid {
  int size, rank, ndims;
  const int *distributions, *arguments, *processes;
  int order;

  std::span<const int> list(const int* values, const char* name) const {
    return {&required(values, name), static_cast<std::size_t>(ndims)};
  }
};

template <class Number>
datatype_ref darray(const process_grid& grid, const Number* sizes, const datatype& type, count_kind kind) {
  check_dimensions(grid.ndims);
  const std::vector<std::int64_t> all_sizes = listed(sizes, grid.ndims, "array_of_gsizes");
  array_distribution array;
  array.size = grid.size;
  array.rank = grid.rank;
  array.sizes = all_sizes;
  array.distributions = grid.list(grid.distributions, "array_of_distribs");
  array.arguments = grid.list(grid.arguments, "array_of_dargs");
  array.processes = grid.list(grid.processes, "array_of_psizes");
  array.order = static_cast<array_order>(grid.order);
  return make_darray(array, type, kind);
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                              const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_subarray", newtype, [&] {
    return subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, object_of(oldtype),
                    count_kind::normal);
  });
}
STRETTO_MPI_NAME(Type_create_subarray)

int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[],
                                const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_subarray_c", newtype, [&] {
    return subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, object_of(oldtype),
                    count_kind::large);
  });
}
STRETTO_MPI_NAME(Type_create_subarray_c)

int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
                            const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
                            MPI_Datatype* newtype) {
  const process_grid grid{size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes, order};
  return call_constructor("MPI_Type_create_darray", newtype,
                          [&] { return darray(grid, array_of_gsizes, object_of(oldtype), count_kind::normal); });
}
STRETTO_MPI_NAME(Type_create_darray)

int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                              const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                              int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const process_grid grid{size, rank, ndims, array_of_distribs, array_of_dargs, array_of_psizes, order};
  return call_constructor("MPI_Type_create_darray_c", newtype,
                          [&] { return darray(grid, array_of_gsizes, object_of(oldtype), count_kind::large); });
}
STRETTO_MPI_NAME(Type_create_darray_c)

}  // extern "C"
