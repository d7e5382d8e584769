// addresses.cpp - addresses as numbers.
#include "ranks/binding/call.hpp"

using namespace stretto::ranks;

extern "C" {

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  return call("MPI_Get_address", [&] { required(address, "address") = reinterpret_cast<MPI_Aint>(location); });
}
STRETTO_MPI_NAME(Get_address)

// Addresses have no sign, and may wrap.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
STRETTO_MPI_NAME(Aint_add)

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}
STRETTO_MPI_NAME(Aint_diff)

}  // extern "C"
