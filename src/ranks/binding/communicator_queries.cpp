// communicator_queries.cpp - functions that ask a communicator, and those that set its name and hints.
#include "ranks/binding/call.hpp"

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  return call("MPI_Comm_rank", comm, [&] { required(rank, "rank") = object_of(comm).rank(); });
}
STRETTO_MPI_NAME(Comm_rank)

int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return call("MPI_Comm_size", comm, [&] { required(size, "size") = object_of(comm).size(); });
}
STRETTO_MPI_NAME(Comm_size)

int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  return call("MPI_Comm_remote_size", comm, [&] {
    const auto& remote = object_of(comm).members().remote;
    if (!remote) throw call_error(error_class::comm, "the communicator is no intercommunicator");
    required(size, "size") = remote->size();
  });
}
STRETTO_MPI_NAME(Comm_remote_size)

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return call("MPI_Comm_test_inter", comm, [&] { required(flag, "flag") = object_of(comm).is_intercommunicator(); });
}
STRETTO_MPI_NAME(Comm_test_inter)

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return call("MPI_Comm_compare", comm1, [&] {
    const comparison compared = compare(object_of(comm1).members(), object_of(comm2).members());
    required(result, "result") = static_cast<int>(compared);
  });
}
STRETTO_MPI_NAME(Comm_compare)

int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  return call("MPI_Comm_set_name", comm, [&] { object_of(comm).set_name(&required(comm_name, "comm_name")); });
}
STRETTO_MPI_NAME(Comm_set_name)

int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  return call("MPI_Comm_get_name", comm, [&] {
    write_text(comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : object_of(comm).name(), comm_name, resultlen);
  });
}
STRETTO_MPI_NAME(Comm_get_name)

int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  return call("MPI_Comm_set_info", comm, [&] { object_of(comm).add_hints(object_of(info)); });
}
STRETTO_MPI_NAME(Comm_set_info)

int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return call("MPI_Comm_get_info", comm,
              [&] { required(info_used, "info_used") = new_handle(object_of(comm).hints()); });
}
STRETTO_MPI_NAME(Comm_get_info)

}  // extern "C"
