// derived_types.cpp - the constructors of datatypes but for those of arrays and of Fortran.
#include <span>

#include "ranks/binding/argument_lists.hpp"
#include "ranks/binding/new_type.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

constexpr auto large = count_kind::large;

// Lists by the names of their arguments.
template <class Number>
std::vector<std::int64_t> lengths_of(const Number* list, std::int64_t count) {
  return listed(list, count, "array_of_blocklengths");
}
template <class Number>
std::vector<std::int64_t> places_of(const Number* list, std::int64_t count) {
  return listed(list, count, "array_of_displacements");
}

std::vector<const datatype*> types_of(const MPI_Datatype* list, std::int64_t count) {
  if (count > 0) required(list, "array_of_types");
  std::vector<const datatype*> types;
  for (const MPI_Datatype handle : std::span(list, static_cast<std::size_t>(count))) {
    types.push_back(&object_of(handle));
  }
  return types;
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_contiguous", newtype, [&] { return make_contiguous(count, object_of(oldtype)); });
}
STRETTO_MPI_NAME(Type_contiguous)

int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_contiguous_c", newtype,
                          [&] { return make_contiguous(count, object_of(oldtype), large); });
}
STRETTO_MPI_NAME(Type_contiguous_c)

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_vector", newtype,
                          [&] { return make_vector(count, blocklength, stride, object_of(oldtype)); });
}
STRETTO_MPI_NAME(Type_vector)

int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_vector_c", newtype,
                          [&] { return make_vector(count, blocklength, stride, object_of(oldtype), large); });
}
STRETTO_MPI_NAME(Type_vector_c)

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hvector", newtype,
                          [&] { return make_hvector(count, blocklength, stride, object_of(oldtype)); });
}
STRETTO_MPI_NAME(Type_create_hvector)

int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hvector_c", newtype,
                          [&] { return make_hvector(count, blocklength, stride, object_of(oldtype), large); });
}
STRETTO_MPI_NAME(Type_create_hvector_c)

int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_indexed", newtype, [&] {
    return make_indexed(lengths_of(array_of_blocklengths, count), places_of(array_of_displacements, count),
                        object_of(oldtype));
  });
}
STRETTO_MPI_NAME(Type_indexed)

int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                        const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_indexed_c", newtype, [&] {
    return make_indexed(lengths_of(array_of_blocklengths, count), places_of(array_of_displacements, count),
                        object_of(oldtype), large);
  });
}
STRETTO_MPI_NAME(Type_indexed_c)

int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hindexed", newtype, [&] {
    return make_hindexed(lengths_of(array_of_blocklengths, count), places_of(array_of_displacements, count),
                         object_of(oldtype));
  });
}
STRETTO_MPI_NAME(Type_create_hindexed)

int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hindexed_c", newtype, [&] {
    return make_hindexed(lengths_of(array_of_blocklengths, count), places_of(array_of_displacements, count),
                         object_of(oldtype), large);
  });
}
STRETTO_MPI_NAME(Type_create_hindexed_c)

int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_indexed_block", newtype, [&] {
    return make_indexed_block(blocklength, places_of(array_of_displacements, count), object_of(oldtype));
  });
}
STRETTO_MPI_NAME(Type_create_indexed_block)

int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                                     MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_indexed_block_c", newtype, [&] {
    return make_indexed_block(blocklength, places_of(array_of_displacements, count), object_of(oldtype), large);
  });
}
STRETTO_MPI_NAME(Type_create_indexed_block_c)

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hindexed_block", newtype, [&] {
    return make_hindexed_block(blocklength, places_of(array_of_displacements, count), object_of(oldtype));
  });
}
STRETTO_MPI_NAME(Type_create_hindexed_block)

int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_hindexed_block_c", newtype, [&] {
    return make_hindexed_block(blocklength, places_of(array_of_displacements, count), object_of(oldtype), large);
  });
}
STRETTO_MPI_NAME(Type_create_hindexed_block_c)

int PMPI_Type_create_struct(int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                            const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_struct", newtype, [&] {
    const auto lengths = lengths_of(array_of_blocklengths, count);
    return make_struct(lengths, places_of(array_of_displacements, count), types_of(array_of_types, count));
  });
}
STRETTO_MPI_NAME(Type_create_struct)

int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                              const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                              MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_struct_c", newtype, [&] {
    const auto lengths = lengths_of(array_of_blocklengths, count);
    return make_struct(lengths, places_of(array_of_displacements, count), types_of(array_of_types, count), large);
  });
}
STRETTO_MPI_NAME(Type_create_struct_c)

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_resized", newtype,
                          [&] { return make_resized(object_of(oldtype), lb, extent); });
}
STRETTO_MPI_NAME(Type_create_resized)

int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_create_resized_c", newtype,
                          [&] { return make_resized(object_of(oldtype), lb, extent, large); });
}
STRETTO_MPI_NAME(Type_create_resized_c)

}  // extern "C"
