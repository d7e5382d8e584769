// type_attributes.cpp - attributes of datatypes; the functions that make and free their keys are in attributes.cpp.
#include "ranks/binding/call.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/communicators/rank_state.hpp"

namespace stretto::ranks {

namespace {

std::shared_ptr<const keyval> key_at(int number) {
  return current_rank().keyvals.find(number, attribute_owner::datatype);
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  return call("MPI_Type_set_attr", [&] {
    const auto& type = object_of(datatype);
    auto key = key_at(type_keyval);
    current_rank().types.of(type).attributes.set(std::move(key), attribute_val, datatype);
  });
}
STRETTO_MPI_NAME(Type_set_attr)

int PMPI_Type_get_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val, int* flag) {
  return call("MPI_Type_get_attr", [&] {
    void*& value = required(static_cast<void**>(attribute_val), "attribute_val");
    const type_properties* properties = current_rank().types.find(object_of(datatype));
    const int number = key_at(type_keyval)->number;
    const auto found = properties ? properties->attributes.find(number) : std::nullopt;
    required(flag, "flag") = found.has_value();
    if (found) value = *found;
  });
}
STRETTO_MPI_NAME(Type_get_attr)

int PMPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  return call("MPI_Type_delete_attr", [&] {
    type_properties* properties = current_rank().types.find(object_of(datatype));
    const auto key = key_at(type_keyval);
    if (properties) properties->attributes.remove(key->number, datatype);
  });
}
STRETTO_MPI_NAME(Type_delete_attr)

}  // extern "C"
