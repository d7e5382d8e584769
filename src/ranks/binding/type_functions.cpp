// type_functions.cpp - the life of datatypes, and their names.
#include <utility>

#include "ranks/binding/call.hpp"
#include "ranks/binding/new_type.hpp"
#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/communicators/rank_state.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

namespace {

/// Copies attributes to a duplicate as the functions of their keys say. If one fails, the duplicate has none.
void copy_attributes(MPI_Datatype original, const datatype& type, const datatype& copy) {
  type_property_table& table = current_rank().types;
  const type_properties* properties = table.find(type);
  if (!properties || properties->attributes.is_empty()) return;
  attribute_list copied;
  try {
    properties->attributes.copy_to(copied, original);
  } catch (const call_error&) {
    copied.remove_all(handle_of(copy));
    throw;
  }
  if (!copied.is_empty()) table.of(copy).attributes = std::move(copied);
}

void free_type(MPI_Datatype handle) {
  const datatype& type = object_of(handle);
  if (is_predefined(handle) || is_unnamed_predefined(type)) {
    throw call_error(error_class::type, "the datatype is predefined");
  }
  type_property_table& table = current_rank().types;
  if (type_properties* properties = table.find(type)) {
    properties->attributes.remove_all(handle);
    table.forget(type);
  }
  if (usage_check::is_on) usage_check::freed(&type);
  datatype_ref::adopt(&type);
}

std::string name_of(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  const datatype& type = object_of(handle);
  const type_properties* properties = current_rank().types.find(type);
  return properties && properties->has_name() ? properties->name() : std::string(predefined_name(type));
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return call("MPI_Type_commit", [&] { object_of(required(datatype, "datatype")).commit(); });
}
STRETTO_MPI_NAME(Type_commit)

int PMPI_Type_free(MPI_Datatype* datatype) {
  return call("MPI_Type_free", [&] {
    free_type(required(datatype, "datatype"));
    *datatype = MPI_DATATYPE_NULL;
  });
}
STRETTO_MPI_NAME(Type_free)

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call_constructor("MPI_Type_dup", newtype, [&] {
    const datatype& type = object_of(oldtype);
    *newtype = MPI_DATATYPE_NULL;  // what the program gets if a function of an attribute fails
    datatype_ref copy = make_dup(type);
    copy_attributes(oldtype, type, *copy);
    return copy;
  });
}
STRETTO_MPI_NAME(Type_dup)

int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  return call("MPI_Type_set_name", [&] {
    const auto& type = object_of(datatype);
    current_rank().types.of(type).set_name(&required(type_name, "type_name"));
  });
}
STRETTO_MPI_NAME(Type_set_name)

int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  return call("MPI_Type_get_name", [&] { write_text(name_of(datatype), type_name, resultlen); });
}
STRETTO_MPI_NAME(Type_get_name)

}  // extern "C"
