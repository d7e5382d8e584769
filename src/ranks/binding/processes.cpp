// processes.cpp - functions of processes that start or join later: there are none.
#include "ranks/binding/call.hpp"

namespace stretto::ranks {
namespace {

int refuse(const char* name, error_class which, MPI_Comm comm = MPI_COMM_NULL) {
  return call(name, comm, [&] {
    throw call_error(which, "all ranks start at once: Stretto starts no processes later, and none can join");
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_spawn(const char*, char*[], int, MPI_Info, int, MPI_Comm comm, MPI_Comm*, int[]) {
  return refuse("MPI_Comm_spawn", error_class::spawn, comm);
}
STRETTO_MPI_NAME(Comm_spawn)

int PMPI_Comm_spawn_multiple(int, char*[], char**[], const int[], const MPI_Info[], int, MPI_Comm comm, MPI_Comm*,
                             int[]) {
  return refuse("MPI_Comm_spawn_multiple", error_class::spawn, comm);
}
STRETTO_MPI_NAME(Comm_spawn_multiple)

int PMPI_Comm_accept(const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*) {
  return refuse("MPI_Comm_accept", error_class::port, comm);
}
STRETTO_MPI_NAME(Comm_accept)

int PMPI_Comm_connect(const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*) {
  return refuse("MPI_Comm_connect", error_class::port, comm);
}
STRETTO_MPI_NAME(Comm_connect)

int PMPI_Comm_join(int, MPI_Comm*) { return refuse("MPI_Comm_join", error_class::unsupported_operation); }
STRETTO_MPI_NAME(Comm_join)

int PMPI_Open_port(MPI_Info, char*) { return refuse("MPI_Open_port", error_class::port); }
STRETTO_MPI_NAME(Open_port)

int PMPI_Close_port(const char*) { return refuse("MPI_Close_port", error_class::port); }
STRETTO_MPI_NAME(Close_port)

int PMPI_Publish_name(const char*, MPI_Info, const char*) { return refuse("MPI_Publish_name", error_class::service); }
STRETTO_MPI_NAME(Publish_name)

int PMPI_Unpublish_name(const char*, MPI_Info, const char*) {
  return refuse("MPI_Unpublish_name", error_class::service);
}
STRETTO_MPI_NAME(Unpublish_name)

int PMPI_Lookup_name(const char*, MPI_Info, char*) { return refuse("MPI_Lookup_name", error_class::name); }
STRETTO_MPI_NAME(Lookup_name)

/// No other program has started this one.
int PMPI_Comm_get_parent(MPI_Comm* parent) {
  return call("MPI_Comm_get_parent", [&] { required(parent, "parent") = MPI_COMM_NULL; });
}
STRETTO_MPI_NAME(Comm_get_parent)

}  // extern "C"
