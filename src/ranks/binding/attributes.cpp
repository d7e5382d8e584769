// attributes.cpp - MPI functions for keys of attributes, and for the attributes of communicators.
#include "ranks/binding/call.hpp"

namespace stretto::ranks {

namespace {

constexpr auto of_communicators = attribute_owner::communicator;

/// A key's copy and delete functions, which call those of the program with the handle of an object. MPI's own ones have
/// no code in mpi.h: MPI_COMM_NULL_COPY_FN and such are the address 0, MPI_COMM_DUP_FN and such the address 1.
template <class Handle>
keyval_functions wrapped(int (*copy)(Handle, int, void*, void*, void*, int*), int (*remove)(Handle, int, void*, void*),
                         void* extra_state) {
  keyval_functions functions;
  if (reinterpret_cast<std::uintptr_t>(copy) == 1) {
    functions.copy = value_copy();
  } else if (copy) {
    functions.copy = [=](void* object, int number, void* value, void** result, int* is_copied) {
      return copy(static_cast<Handle>(object), number, extra_state, value, result, is_copied);
    };
  }
  if (remove) {
    functions.remove = [=](void* object, int number, void* value) {
      return remove(static_cast<Handle>(object), number, value, extra_state);
    };
  }
  return functions;
}

int free_key(const char* name, int* number, attribute_owner owner) {
  return call(name, [&] {
    current_rank().keyvals.free(required(number, "keyval"), owner);
    *number = MPI_KEYVAL_INVALID;
  });
}

/// Sets `value` to the address of the attribute's number for a predefined key, else to the value that the program set.
/// `flag` becomes 0 if it has set none.
void read_attribute(communicator& comm, int number, void** value, int& flag) {
  rank_state& state = current_rank();
  state.attributes.last_used_code = state.codes.last_used();
  flag = 1;
  if (int* const predefined = predefined_attribute(state.attributes, number)) {
    *value = predefined;
    return;
  }
  const auto found = comm.attributes().find(state.keyvals.find(number, of_communicators)->number);
  flag = found.has_value();
  if (found) *value = *found;
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                            MPI_Comm_delete_attr_function* comm_delete_attr_fn, int* comm_keyval, void* extra_state) {
  return call("MPI_Comm_create_keyval", [&] {
    required(comm_keyval, "comm_keyval") = current_rank().keyvals.create(
        of_communicators, wrapped<MPI_Comm>(comm_copy_attr_fn, comm_delete_attr_fn, extra_state));
  });
}
STRETTO_MPI_NAME(Comm_create_keyval)

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                            MPI_Type_delete_attr_function* type_delete_attr_fn, int* type_keyval, void* extra_state) {
  return call("MPI_Type_create_keyval", [&] {
    required(type_keyval, "type_keyval") = current_rank().keyvals.create(
        attribute_owner::datatype, wrapped<MPI_Datatype>(type_copy_attr_fn, type_delete_attr_fn, extra_state));
  });
}
STRETTO_MPI_NAME(Type_create_keyval)

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                           MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval, void* extra_state) {
  return call("MPI_Win_create_keyval", [&] {
    required(win_keyval, "win_keyval") = current_rank().keyvals.create(
        attribute_owner::window, wrapped<MPI_Win>(win_copy_attr_fn, win_delete_attr_fn, extra_state));
  });
}
STRETTO_MPI_NAME(Win_create_keyval)

int PMPI_Comm_free_keyval(int* comm_keyval) { return free_key("MPI_Comm_free_keyval", comm_keyval, of_communicators); }
STRETTO_MPI_NAME(Comm_free_keyval)

int PMPI_Type_free_keyval(int* type_keyval) {
  return free_key("MPI_Type_free_keyval", type_keyval, attribute_owner::datatype);
}
STRETTO_MPI_NAME(Type_free_keyval)

int PMPI_Win_free_keyval(int* win_keyval) {
  return free_key("MPI_Win_free_keyval", win_keyval, attribute_owner::window);
}
STRETTO_MPI_NAME(Win_free_keyval)

int PMPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  return call("MPI_Comm_set_attr", comm, [&] {
    object_of(comm).attributes().set(current_rank().keyvals.find(comm_keyval, of_communicators), attribute_val, comm);
  });
}
STRETTO_MPI_NAME(Comm_set_attr)

int PMPI_Comm_get_attr(MPI_Comm comm, int comm_keyval, void* attribute_val, int* flag) {
  return call("MPI_Comm_get_attr", comm, [&] {
    void** const value = &required(static_cast<void**>(attribute_val), "attribute_val");
    read_attribute(object_of(comm), comm_keyval, value, required(flag, "flag"));
  });
}
STRETTO_MPI_NAME(Comm_get_attr)

int PMPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  return call("MPI_Comm_delete_attr", comm, [&] {
    const auto key = current_rank().keyvals.find(comm_keyval, of_communicators);
    object_of(comm).attributes().remove(key->number, comm);
  });
}
STRETTO_MPI_NAME(Comm_delete_attr)

// The same functions under their names of MPI 1.
int PMPI_Keyval_create(MPI_Copy_function* copy_fn, MPI_Delete_function* delete_fn, int* keyval, void* extra_state) {
  return PMPI_Comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}
STRETTO_MPI_NAME(Keyval_create)

int PMPI_Keyval_free(int* keyval) { return PMPI_Comm_free_keyval(keyval); }
STRETTO_MPI_NAME(Keyval_free)

int PMPI_Attr_put(MPI_Comm comm, int keyval, void* attribute_val) {
  return PMPI_Comm_set_attr(comm, keyval, attribute_val);
}
STRETTO_MPI_NAME(Attr_put)

int PMPI_Attr_get(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  return PMPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}
STRETTO_MPI_NAME(Attr_get)

int PMPI_Attr_delete(MPI_Comm comm, int keyval) { return PMPI_Comm_delete_attr(comm, keyval); }
STRETTO_MPI_NAME(Attr_delete)

}  // extern "C"
