// errors.cpp - MPI functions for error classes and codes, for creating error handlers of any kind, and for those of
// communicators.
#include <utility>

#include "ranks/binding/call.hpp"

namespace stretto::ranks {

namespace {

/// Creates an error handler that calls a function of the program with the handle of the failed object.
template <class Handle>
int create_handler(const char* name, error_owner owner, void (*function)(Handle*, int*, ...), MPI_Errhandler* created) {
  return call_at_any_time(name, [&] {
    required(function, "the function");
    const auto caller = [function](void* object, int& code) {
      auto handle = static_cast<Handle>(object);
      function(&handle, &code);
    };
    required(created, "errhandler") = new_handle(make_counted<const error_handler>(owner, caller));
  });
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Add_error_class(int* errorclass) {
  return call_at_any_time("MPI_Add_error_class",
                          [&] { required(errorclass, "errorclass") = current_rank().codes.add_class(); });
}
STRETTO_MPI_NAME(Add_error_class)

int PMPI_Add_error_code(int errorclass, int* errorcode) {
  return call_at_any_time("MPI_Add_error_code",
                          [&] { required(errorcode, "errorcode") = current_rank().codes.add_code(errorclass); });
}
STRETTO_MPI_NAME(Add_error_code)

int PMPI_Add_error_string(int errorcode, const char* string) {
  return call_at_any_time("MPI_Add_error_string",
                          [&] { current_rank().codes.set_text(errorcode, &required(string, "string")); });
}
STRETTO_MPI_NAME(Add_error_string)

int PMPI_Remove_error_class(int errorclass) {
  return call_at_any_time("MPI_Remove_error_class", [&] { current_rank().codes.remove_class(errorclass); });
}
STRETTO_MPI_NAME(Remove_error_class)

int PMPI_Remove_error_code(int errorcode) {
  return call_at_any_time("MPI_Remove_error_code", [&] { current_rank().codes.remove_code(errorcode); });
}
STRETTO_MPI_NAME(Remove_error_code)

int PMPI_Remove_error_string(int errorcode) {
  return call_at_any_time("MPI_Remove_error_string", [&] { current_rank().codes.remove_text(errorcode); });
}
STRETTO_MPI_NAME(Remove_error_string)

int PMPI_Error_class(int errorcode, int* errorclass) {
  return call_at_any_time("MPI_Error_class",
                          [&] { required(errorclass, "errorclass") = current_rank().codes.class_of(errorcode); });
}
STRETTO_MPI_NAME(Error_class)

int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  return call_at_any_time("MPI_Error_string",
                          [&] { write_text(current_rank().codes.text_of(errorcode), string, resultlen); });
}
STRETTO_MPI_NAME(Error_string)

int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return call_at_any_time("MPI_Errhandler_free", [&] {
    const error_handler_ref freed = object_of(required(errhandler, "errhandler"));
    // The temporary reference takes over that of the handle, and drops it.
    if (!freed->is_predefined()) error_handler_ref::adopt(freed.get());
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}
STRETTO_MPI_NAME(Errhandler_free)

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  return create_handler("MPI_Comm_create_errhandler", error_owner::communicator, comm_errhandler_fn, errhandler);
}
STRETTO_MPI_NAME(Comm_create_errhandler)

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  return create_handler("MPI_Win_create_errhandler", error_owner::window, win_errhandler_fn, errhandler);
}
STRETTO_MPI_NAME(Win_create_errhandler)

int PMPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
  return create_handler("MPI_File_create_errhandler", error_owner::file, file_errhandler_fn, errhandler);
}
STRETTO_MPI_NAME(File_create_errhandler)

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  return create_handler("MPI_Session_create_errhandler", error_owner::session, session_errhandler_fn, errhandler);
}
STRETTO_MPI_NAME(Session_create_errhandler)

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return call("MPI_Comm_set_errhandler", comm, [&] {
    communicator& changed = object_of(comm);
    error_handler_ref handler = object_of(errhandler);
    if (!handler->fits(error_owner::communicator)) {
      throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
    }
    changed.set_handler(std::move(handler));
  });
}
STRETTO_MPI_NAME(Comm_set_errhandler)

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return call("MPI_Comm_get_errhandler", comm,
              [&] { required(errhandler, "errhandler") = new_handle(object_of(comm).handler()); });
}
STRETTO_MPI_NAME(Comm_get_errhandler)

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  return call("MPI_Comm_call_errhandler", comm, [&] {
    communicator& of = object_of(comm);
    const std::string text = current_rank().codes.text_of(errorcode);
    react({of.handler(), handle_of(of), of}, errorcode,
          "error: MPI_Comm_call_errhandler was called\n  what      " + text + '\n');
  });
}
STRETTO_MPI_NAME(Comm_call_errhandler)

}  // extern "C"
