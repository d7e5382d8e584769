// handles.cpp - predefined handles by number.
#include "ranks/binding/handles.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <stretto/error.hpp>
#include <utility>

#include "base/error_output.hpp"

namespace stretto::ranks {

namespace {

const group empty_group;

template <class Handle, class Object>
Handle handle_at(Object* object) {
  return reinterpret_cast<Handle>(const_cast<std::remove_const_t<Object>*>(object));
}

}  // namespace

void refuse_other_mpi(std::uintptr_t handle) {
  const auto e = error("R82", "a program that was compiled for another MPI has called MPI")
                     .fact("handle", fmt::format("{:#x}, as MPICH has them", handle))
                     .because("handles of one MPI mean nothing to another")
                     .remedy("compile it again with stretto cc or stretto c++");
  base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  std::_Exit(1);
}

communicator& object_of_other(MPI_Comm comm) {
  if (!is_predefined(comm)) {
    if (is_of_other_mpi(comm)) [[unlikely]]
      refuse_other_mpi(reinterpret_cast<std::uintptr_t>(comm));
    return addressed<communicator>(comm);
  }
  if (comm == MPI_COMM_SELF) return current_rank().self;
  throw call_error(error_class::comm, comm == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                            : "the handle is none of a communicator");
}

MPI_Comm handle_of(communicator& comm) {
  if (&comm == &current_rank().world) return MPI_COMM_WORLD;
  if (&comm == &current_rank().self) return MPI_COMM_SELF;
  return handle_at<MPI_Comm>(&comm);
}

const group& object_of(MPI_Group handle) {
  if (!is_predefined(handle)) return addressed<const group>(handle);
  if (handle == MPI_GROUP_EMPTY) return empty_group;
  throw call_error(error_class::group,
                   handle == MPI_GROUP_NULL ? "the group is MPI_GROUP_NULL" : "the handle is none of a group");
}

MPI_Group new_handle(group members) {
  if (members.is_empty()) return MPI_GROUP_EMPTY;
  return handle_at<MPI_Group>(new group(std::move(members)));
}

const info& object_of(MPI_Info hints) {
  if (hints == MPI_INFO_ENV) return current_rank().environment;
  return changeable(hints);
}

info& changeable(MPI_Info hints) {
  if (!is_predefined(hints)) return addressed<info>(hints);
  if (hints == MPI_INFO_ENV) throw call_error(error_class::info, "MPI_INFO_ENV cannot be changed");
  throw call_error(error_class::info,
                   hints == MPI_INFO_NULL ? "the info is MPI_INFO_NULL" : "the handle is none of an info");
}

info copied(MPI_Info hints) { return hints == MPI_INFO_NULL ? info() : object_of(hints); }

MPI_Info new_handle(info hints) { return handle_at<MPI_Info>(new info(std::move(hints))); }

error_handler_ref object_of(MPI_Errhandler handler) {
  if (!is_predefined(handler)) return error_handler_ref(&addressed<const error_handler>(handler));
  if (handler == MPI_ERRORS_ARE_FATAL) return predefined_handler(error_reaction::fatal);
  if (handler == MPI_ERRORS_ABORT) return predefined_handler(error_reaction::abort);
  if (handler == MPI_ERRORS_RETURN) return predefined_handler(error_reaction::return_code);
  throw call_error(error_class::errhandler, handler == MPI_ERRHANDLER_NULL ? "the error handler is MPI_ERRHANDLER_NULL"
                                                                           : "the handle is none of an error handler");
}

MPI_Errhandler new_handle(error_handler_ref handler) {
  switch (handler->reaction()) {
    case error_reaction::fatal: return MPI_ERRORS_ARE_FATAL;
    case error_reaction::abort: return MPI_ERRORS_ABORT;
    case error_reaction::return_code: return MPI_ERRORS_RETURN;
    case error_reaction::call_function: break;
  }
  return handle_at<MPI_Errhandler>(handler.release());
}

rank_file& object_of(MPI_File file) {
  if (!is_predefined(file)) return addressed<rank_file>(file);
  throw call_error(error_class::file,
                   file == MPI_FILE_NULL ? "the file is MPI_FILE_NULL" : "the handle is none of a file");
}

void write_text(const std::string& text, char* target, int* length) {
  std::memcpy(&required(target, "the text"), text.c_str(), text.size() + 1);
  required(length, "resultlen") = static_cast<int>(text.size());
}

}  // namespace stretto::ranks
