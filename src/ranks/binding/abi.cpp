// abi.cpp - facts of the ABI, of Fortran in it, and of the machine.
#include <cstring>
#include <string>
#include <utility>

#include "ranks/binding/call.hpp"

namespace stretto::ranks {
namespace {

std::string bytes_of_type(std::size_t bytes) { return std::to_string(bytes); }

/// The sizes that MPI allows for Fortran's type LOGICAL.
void check_size(int size) {
  if (size == 1 || size == 2 || size == 4 || size == 8 || size == 16) return;
  throw call_error(error_class::argument, "logical_size is " + std::to_string(size));
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Abi_get_info(MPI_Info* made) {
  return call_at_any_time("MPI_Abi_get_info", [&] {
    info facts;
    facts.set("mpi_aint_size", bytes_of_type(sizeof(MPI_Aint)));
    facts.set("mpi_count_size", bytes_of_type(sizeof(MPI_Count)));
    facts.set("mpi_offset_size", bytes_of_type(sizeof(MPI_Offset)));
    required(made, "info") = new_handle(std::move(facts));
  });
}
STRETTO_MPI_NAME(Abi_get_info)

int PMPI_Abi_set_fortran_info(MPI_Info facts) {
  return call_at_any_time("MPI_Abi_set_fortran_info", [&] {
    auto& known = current_rank().fortran.facts;
    if (known) throw call_error(error_class::abi, "the facts of Fortran are set already");
    known = object_of(facts);
  });
}
STRETTO_MPI_NAME(Abi_set_fortran_info)

int PMPI_Abi_get_fortran_info(MPI_Info* facts) {
  return call_at_any_time("MPI_Abi_get_fortran_info", [&] {
    const auto& known = current_rank().fortran.facts;
    required(facts, "info") = known ? new_handle(*known) : MPI_INFO_NULL;
  });
}
STRETTO_MPI_NAME(Abi_get_fortran_info)

int PMPI_Abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) {
  return call_at_any_time("MPI_Abi_set_fortran_booleans", [&] {
    check_size(logical_size);
    auto& known = current_rank().fortran;
    if (known.logical_size) throw call_error(error_class::abi, "the values of Fortran are set already");
    if (!logical_true || !logical_false) throw call_error(error_class::argument, "a value is a null pointer");
    std::memcpy(known.true_value, logical_true, static_cast<std::size_t>(logical_size));
    std::memcpy(known.false_value, logical_false, static_cast<std::size_t>(logical_size));
    known.logical_size = logical_size;
  });
}
STRETTO_MPI_NAME(Abi_set_fortran_booleans)

int PMPI_Abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) {
  return call_at_any_time("MPI_Abi_get_fortran_booleans", [&] {
    check_size(logical_size);
    const auto& known = current_rank().fortran;
    required(is_set, "is_set") = known.logical_size == logical_size;
    if (!*is_set) return;
    std::memcpy(logical_true, known.true_value, static_cast<std::size_t>(logical_size));
    std::memcpy(logical_false, known.false_value, static_cast<std::size_t>(logical_size));
  });
}
STRETTO_MPI_NAME(Abi_get_fortran_booleans)

/// Types of resources for MPI_Comm_split_type, each with whether the rank is bound to one of them.
int PMPI_Get_hw_resource_info(MPI_Info* hw_info) {
  return call_at_any_time("MPI_Get_hw_resource_info", [&] {
    info facts;
    facts.set("mpi_shared_memory", "true");
    required(hw_info, "hw_info") = new_handle(std::move(facts));
  });
}
STRETTO_MPI_NAME(Get_hw_resource_info)

}  // extern "C"
