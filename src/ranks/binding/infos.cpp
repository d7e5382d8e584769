// infos.cpp - the functions MPI_Info_*, which programs may call at any time.
#include <algorithm>
#include <cstring>

#include "ranks/binding/call.hpp"

namespace stretto::ranks {

namespace {

/// Writes as much of a value as there is place for, and a zero.
void write_value(std::string_view value, char* target, int place) {
  const auto length = std::min(value.size(), static_cast<std::size_t>(place));
  std::memcpy(&required(target, "value"), value.data(), length);
  target[length] = '\0';
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Info_create(MPI_Info* created) {
  return call_at_any_time("MPI_Info_create", [&] { required(created, "info") = new_handle(info()); });
}
STRETTO_MPI_NAME(Info_create)

int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* created) {
  return call_at_any_time("MPI_Info_create_env",
                          [&] { required(created, "info") = new_handle(current_rank().environment); });
}
STRETTO_MPI_NAME(Info_create_env)

int PMPI_Info_dup(MPI_Info original, MPI_Info* newinfo) {
  return call_at_any_time("MPI_Info_dup", [&] { required(newinfo, "newinfo") = new_handle(object_of(original)); });
}
STRETTO_MPI_NAME(Info_dup)

int PMPI_Info_free(MPI_Info* freed) {
  return call_at_any_time("MPI_Info_free", [&] {
    delete &changeable(required(freed, "info"));
    *freed = MPI_INFO_NULL;
  });
}
STRETTO_MPI_NAME(Info_free)

int PMPI_Info_set(MPI_Info hints, const char* key, const char* value) {
  return call_at_any_time("MPI_Info_set",
                          [&] { changeable(hints).set(&required(key, "key"), &required(value, "value")); });
}
STRETTO_MPI_NAME(Info_set)

int PMPI_Info_delete(MPI_Info hints, const char* key) {
  return call_at_any_time("MPI_Info_delete", [&] { changeable(hints).remove(&required(key, "key")); });
}
STRETTO_MPI_NAME(Info_delete)

int PMPI_Info_get(MPI_Info hints, const char* key, int valuelen, char* value, int* flag) {
  return call_at_any_time("MPI_Info_get", [&] {
    const auto found = object_of(hints).find(&required(key, "key"));
    if (valuelen < 0) throw call_error(error_class::argument, "valuelen is " + std::to_string(valuelen));
    required(flag, "flag") = found.has_value();
    if (found) write_value(*found, value, valuelen);
  });
}
STRETTO_MPI_NAME(Info_get)

int PMPI_Info_get_string(MPI_Info hints, const char* key, int* buflen, char* value, int* flag) {
  return call_at_any_time("MPI_Info_get_string", [&] {
    const auto found = object_of(hints).find(&required(key, "key"));
    if (required(buflen, "buflen") < 0) throw call_error(error_class::argument, "buflen is negative");
    required(flag, "flag") = found.has_value();
    if (!found) return;
    if (*buflen > 0) write_value(*found, value, *buflen - 1);
    *buflen = static_cast<int>(found->size()) + 1;
  });
}
STRETTO_MPI_NAME(Info_get_string)

int PMPI_Info_get_valuelen(MPI_Info hints, const char* key, int* valuelen, int* flag) {
  return call_at_any_time("MPI_Info_get_valuelen", [&] {
    const auto found = object_of(hints).find(&required(key, "key"));
    required(flag, "flag") = found.has_value();
    if (found) required(valuelen, "valuelen") = static_cast<int>(found->size());
  });
}
STRETTO_MPI_NAME(Info_get_valuelen)

int PMPI_Info_get_nkeys(MPI_Info hints, int* nkeys) {
  return call_at_any_time("MPI_Info_get_nkeys", [&] { required(nkeys, "nkeys") = object_of(hints).size(); });
}
STRETTO_MPI_NAME(Info_get_nkeys)

int PMPI_Info_get_nthkey(MPI_Info hints, int n, char* key) {
  return call_at_any_time("MPI_Info_get_nthkey",
                          [&] { write_value(object_of(hints).key(n), key, static_cast<int>(info::key_limit) - 1); });
}
STRETTO_MPI_NAME(Info_get_nthkey)

}  // extern "C"
