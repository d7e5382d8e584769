// type_queries.cpp - sizes and extents of datatypes.
#include "ranks/binding/call.hpp"
#include "ranks/binding/call_results.hpp"
#include "ranks/binding/type_handles.hpp"

namespace stretto::ranks {

namespace {

template <class Number>
int get_size(const char* name, MPI_Datatype datatype, Number* size) {
  return call(name, [&] { required(size, "size") = value_or_undefined<Number>(object_of(datatype).size()); });
}

template <class Number>
int get_extent(const char* name, MPI_Datatype datatype, Number* lb, Number* extent) {
  return call(name, [&] {
    const ranks::datatype& type = object_of(datatype);
    required(extent, "extent") = value_or_undefined<Number>(type.extent());
    required(lb, "lb") = value_or_undefined<Number>(type.bounds().lb);
  });
}

template <class Number>
int get_true_extent(const char* name, MPI_Datatype datatype, Number* lb, Number* extent) {
  return call(name, [&] {
    const ranks::datatype& type = object_of(datatype);
    required(extent, "true_extent") = value_or_undefined<Number>(type.true_extent());
    required(lb, "true_lb") = value_or_undefined<Number>(type.bounds().true_lb);
  });
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_size(MPI_Datatype datatype, int* size) { return get_size("MPI_Type_size", datatype, size); }
STRETTO_MPI_NAME(Type_size)

int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) { return get_size("MPI_Type_size_c", datatype, size); }
STRETTO_MPI_NAME(Type_size_c)

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) { return get_size("MPI_Type_size_x", datatype, size); }
STRETTO_MPI_NAME(Type_size_x)

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return get_extent("MPI_Type_get_extent", datatype, lb, extent);
}
STRETTO_MPI_NAME(Type_get_extent)

int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_c", datatype, lb, extent);
}
STRETTO_MPI_NAME(Type_get_extent_c)

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return get_extent("MPI_Type_get_extent_x", datatype, lb, extent);
}
STRETTO_MPI_NAME(Type_get_extent_x)

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}
STRETTO_MPI_NAME(Type_get_true_extent)

int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}
STRETTO_MPI_NAME(Type_get_true_extent_c)

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return get_true_extent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}
STRETTO_MPI_NAME(Type_get_true_extent_x)

}  // extern "C"
