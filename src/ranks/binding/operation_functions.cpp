// operation_functions.cpp - the functions MPI_Op_*, and reductions of a rank's own data.
#include "ranks/binding/call.hpp"
#include "ranks/binding/operation_handles.hpp"
#include "ranks/binding/type_handles.hpp"

namespace stretto::ranks {

namespace {

template <class Function>
int create_operation(const char* name, Function* function, int commute, MPI_Op* op) {
  return call(name, [&] {
    required(function, "user_fn");
    MPI_Op& created = required(op, "op");
    const commutativity commutes = commute ? commutativity::commutative : commutativity::ordered;
    created = new_handle(operation_ref(new reduction_operation(function, commutes)));
  });
}

int reduce_locally(const char* name, const void* inbuf, void* inoutbuf, std::int64_t count, MPI_Datatype datatype,
                   MPI_Op op) {
  return call(name, [&] {
    const ranks::datatype& type = type_of_data(inbuf, count, datatype);
    type_of_data(inoutbuf, count, datatype);
    const combiner combine(object_of(op), type);
    if (count == 0 || type.size() == 0) return;
    if (inbuf == inoutbuf) throw call_error(error_class::buffer, "both buffers are the same memory");
    combine(inbuf, inoutbuf, count);
  });
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return create_operation("MPI_Op_create", user_fn, commute, op);
}
STRETTO_MPI_NAME(Op_create)

int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return create_operation("MPI_Op_create_c", user_fn, commute, op);
}
STRETTO_MPI_NAME(Op_create_c)

int PMPI_Op_free(MPI_Op* op) {
  return call("MPI_Op_free", [&] {
    const reduction_operation& freed = object_of(required(op, "op"));
    if (is_predefined(*op)) throw call_error(error_class::op, "the operation is predefined");
    operation_ref::adopt(&freed);
    *op = MPI_OP_NULL;
  });
}
STRETTO_MPI_NAME(Op_free)

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return call("MPI_Op_commutative", [&] { required(commute, "commute") = object_of(op).is_commutative(); });
}
STRETTO_MPI_NAME(Op_commutative)

int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return reduce_locally("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}
STRETTO_MPI_NAME(Reduce_local)

int PMPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  return reduce_locally("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}
STRETTO_MPI_NAME(Reduce_local_c)

}  // extern "C"
