// fortran_types.cpp - predefined datatypes by their properties.
#include <array>
#include <map>
#include <mutex>

#include "ranks/binding/call.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

/// The types without names, which are predefined: equal arguments give one handle, and they live until the process
/// ends.
class unnamed_types {
 public:
  using key = std::array<int, 3>;  // constructor, precision, range

  template <class Make>
  MPI_Datatype find(const key& arguments, Make make) {
    const std::lock_guard lock(mutex_);
    MPI_Datatype& handle = handles_[arguments];
    if (!handle) handle = new_handle(make());
    return handle;
  }

 private:
  std::mutex mutex_;
  std::map<key, MPI_Datatype> handles_;
};

template <class Make>
int find_unnamed(const char* name, const unnamed_types::key& arguments, MPI_Datatype* newtype, Make make) {
  static auto& types = *new unnamed_types;
  return call(name, [&] { required(newtype, "newtype") = types.find(arguments, make); });
}

MPI_Datatype predefined_handle(std::uintptr_t number) { return reinterpret_cast<MPI_Datatype>(number); }

std::uint16_t named_type(int typeclass, int size) {
  const bool is_class = typeclass >= MPIX_TYPECLASS_LOGICAL && typeclass <= MPI_TYPECLASS_COMPLEX;
  if (!is_class) throw call_error(error_class::argument, "typeclass is " + std::to_string(typeclass));
  if (const std::uint16_t number = type_of_size(static_cast<type_class>(typeclass), size)) return number;
  throw call_error(error_class::argument, "the class has no type of " + std::to_string(size) + " bytes");
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  return find_unnamed("MPI_Type_create_f90_real", {MPI_COMBINER_F90_REAL, p, r}, newtype,
                      [&] { return make_f90_real(p, r); });
}
STRETTO_MPI_NAME(Type_create_f90_real)

int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return find_unnamed("MPI_Type_create_f90_complex", {MPI_COMBINER_F90_COMPLEX, p, r}, newtype,
                      [&] { return make_f90_complex(p, r); });
}
STRETTO_MPI_NAME(Type_create_f90_complex)

int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  return find_unnamed("MPI_Type_create_f90_integer", {MPI_COMBINER_F90_INTEGER, 0, r}, newtype,
                      [&] { return make_f90_integer(r); });
}
STRETTO_MPI_NAME(Type_create_f90_integer)

int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  return call("MPI_Type_match_size",
              [&] { required(datatype, "datatype") = predefined_handle(named_type(typeclass, size)); });
}
STRETTO_MPI_NAME(Type_match_size)

int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  return call("MPI_Type_get_value_index", [&] {
    object_of(value_type);
    object_of(index_type);
    const std::uint16_t found =
        find_pair_type(reinterpret_cast<std::uintptr_t>(value_type), reinterpret_cast<std::uintptr_t>(index_type));
    required(pair_type, "pair_type") = found ? predefined_handle(found) : MPI_DATATYPE_NULL;
  });
}
STRETTO_MPI_NAME(Type_get_value_index)

}  // extern "C"
