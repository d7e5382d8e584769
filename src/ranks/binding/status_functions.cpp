// status_functions.cpp - functions that read and change an MPI_Status.
#include <cstring>

#include "ranks/binding/call.hpp"
#include "ranks/binding/call_results.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/datatypes/type_signature.hpp"

namespace stretto::ranks {

namespace {

/// How many whole values of a type the data is; nothing if it ends within one.
std::optional<std::int64_t> whole_values(const datatype& type, std::int64_t bytes) {
  if (bytes == 0) return 0;
  if (type.size() == 0 || bytes % type.size() != 0) return std::nullopt;
  return bytes / type.size();
}

template <class Number>
int get_count(const char* name, const MPI_Status* status, MPI_Datatype datatype, Number* count) {
  return call(name, [&] {
    const std::int64_t bytes = bytes_of(required(status, "status"));
    required(count, "count") = value_or_undefined<Number>(whole_values(object_of(datatype), bytes));
  });
}

template <class Number>
int get_elements(const char* name, const MPI_Status* status, MPI_Datatype datatype, Number* count) {
  return call(name, [&] {
    const std::int64_t bytes = bytes_of(required(status, "status"));
    required(count, "count") = value_or_undefined<Number>(elements_in(object_of(datatype), bytes));
  });
}

int set_elements(const char* name, MPI_Status* status, MPI_Datatype datatype, std::int64_t count) {
  return call(name, [&] {
    required(status, "status");
    if (count < 0) throw call_error(error_class::count, "count is " + std::to_string(count));
    set_bytes(*status, bytes_of_elements(object_of(datatype), count));
  });
}

int get_field(const char* name, const MPI_Status* status, int MPI_Status::*field, int* value) {
  return call(name, [&] { required(value, "the result") = required(status, "status").*field; });
}

int set_field(const char* name, MPI_Status* status, int MPI_Status::*field, int value) {
  return call(name, [&] { required(status, "status").*field = value; });
}

// A status in Fortran is an array of the same numbers.
static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_count("MPI_Get_count", status, datatype, count);
}
STRETTO_MPI_NAME(Get_count)

int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_count("MPI_Get_count_c", status, datatype, count);
}
STRETTO_MPI_NAME(Get_count_c)

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_elements("MPI_Get_elements", status, datatype, count);
}
STRETTO_MPI_NAME(Get_elements)

int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements_c", status, datatype, count);
}
STRETTO_MPI_NAME(Get_elements_c)

int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements_x", status, datatype, count);
}
STRETTO_MPI_NAME(Get_elements_x)

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return set_elements("MPI_Status_set_elements", status, datatype, count);
}
STRETTO_MPI_NAME(Status_set_elements)

int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements_c", status, datatype, count);
}
STRETTO_MPI_NAME(Status_set_elements_c)

int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
STRETTO_MPI_NAME(Status_set_elements_x)

int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  return get_field("MPI_Status_get_source", status, &MPI_Status::MPI_SOURCE, source);
}
STRETTO_MPI_NAME(Status_get_source)

int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return get_field("MPI_Status_get_tag", status, &MPI_Status::MPI_TAG, tag);
}
STRETTO_MPI_NAME(Status_get_tag)

int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  return get_field("MPI_Status_get_error", status, &MPI_Status::MPI_ERROR, error);
}
STRETTO_MPI_NAME(Status_get_error)

int PMPI_Status_set_source(MPI_Status* status, int source) {
  return set_field("MPI_Status_set_source", status, &MPI_Status::MPI_SOURCE, source);
}
STRETTO_MPI_NAME(Status_set_source)

int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  return set_field("MPI_Status_set_tag", status, &MPI_Status::MPI_TAG, tag);
}
STRETTO_MPI_NAME(Status_set_tag)

int PMPI_Status_set_error(MPI_Status* status, int error) {
  return set_field("MPI_Status_set_error", status, &MPI_Status::MPI_ERROR, error);
}
STRETTO_MPI_NAME(Status_set_error)

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  return call("MPI_Status_set_cancelled", [&] { set_cancelled(required(status, "status"), flag != 0); });
}
STRETTO_MPI_NAME(Status_set_cancelled)

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return call("MPI_Test_cancelled", [&] { required(flag, "flag") = is_cancelled(required(status, "status")); });
}
STRETTO_MPI_NAME(Test_cancelled)

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  return call("MPI_Status_c2f", [&] {
    std::memcpy(&required(f_status, "f_status"), &required(c_status, "c_status"), sizeof(MPI_Status));
  });
}
STRETTO_MPI_NAME(Status_c2f)

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  return call("MPI_Status_f2c", [&] {
    std::memcpy(&required(c_status, "c_status"), &required(f_status, "f_status"), sizeof(MPI_Status));
  });
}
STRETTO_MPI_NAME(Status_f2c)

}  // extern "C"
