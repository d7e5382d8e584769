// sessions.cpp - sessions, their process sets and error handlers.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "ranks/binding/session_handles.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {
namespace {

group set_named(const char* name) {
  rank_state& state = current_rank();
  return group_of_set(&required(name, "pset_name"), state.world, state.self);
}

/// Writes a name where there is place for `*place` characters, and how many it needs; with 0, only the latter.
void write_name(std::string_view name, int* place, char* target) {
  if (required(place, "pset_len") > 0) {
    const auto size = std::min(name.size(), static_cast<std::size_t>(*place) - 1);
    std::memcpy(&required(target, "pset_name"), name.data(), size);
    target[size] = 0;
  }
  *place = static_cast<int>(name.size()) + 1;
}

std::unique_ptr<session> new_session(MPI_Info hints, MPI_Errhandler handler) {
  auto made = std::make_unique<session>();
  if (hints != MPI_INFO_NULL) made->hints = object_of(hints);
  if (!made->hints.find("thread_level")) made->hints.set("thread_level", "MPI_THREAD_MULTIPLE");
  made->handler = object_of(handler);
  if (!made->handler->fits(error_owner::session))
    throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
  return made;
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* made) {
  return call_at_any_time("MPI_Session_init", [&] {
    required(made, "session") = MPI_SESSION_NULL;
    auto one = new_session(info, errhandler);
    rank_state& state = current_rank();
    rank* const whole = rank::current();
    if (whole && state.phase == rank_phase::starting && state.sessions == 0) {
      whole->take_main_thread();
      whole->allow_calls_from_any_thread();
    }
    ++state.sessions;
    *made = reinterpret_cast<MPI_Session>(one.release());
  });
}
STRETTO_MPI_NAME(Session_init)

int PMPI_Session_finalize(MPI_Session* handle) {
  return call_in_session("MPI_Session_finalize", handle ? *handle : MPI_SESSION_NULL, [&] {
    session* const ended = &object_of(required(handle, "session"));
    if (rank* const whole = rank::current()) whole->buffers().remove(ended);
    --current_rank().sessions;
    delete ended;
    *handle = MPI_SESSION_NULL;
  });
}
STRETTO_MPI_NAME(Session_finalize)

int PMPI_Session_get_info(MPI_Session handle, MPI_Info* info_used) {
  return call_in_session("MPI_Session_get_info", handle,
                         [&] { required(info_used, "info_used") = new_handle(object_of(handle).hints); });
}
STRETTO_MPI_NAME(Session_get_info)

int PMPI_Session_get_num_psets(MPI_Session handle, MPI_Info, int* npset_names) {
  return call_in_session("MPI_Session_get_num_psets", handle, [&] {
    object_of(handle);
    required(npset_names, "npset_names") = static_cast<int>(process_sets().size());
  });
}
STRETTO_MPI_NAME(Session_get_num_psets)

int PMPI_Session_get_nth_pset(MPI_Session handle, MPI_Info, int n, int* pset_len, char* pset_name) {
  return call_in_session("MPI_Session_get_nth_pset", handle, [&] {
    object_of(handle);
    if (n < 0 || static_cast<std::size_t>(n) >= process_sets().size())
      throw call_error(error_class::argument, "n is " + std::to_string(n) + ", and there are " +
                                                  std::to_string(process_sets().size()) + " process sets");
    write_name(process_sets()[static_cast<std::size_t>(n)], pset_len, pset_name);
  });
}
STRETTO_MPI_NAME(Session_get_nth_pset)

int PMPI_Session_get_pset_info(MPI_Session handle, const char* pset_name, MPI_Info* made) {
  return call_in_session("MPI_Session_get_pset_info", handle, [&] {
    object_of(handle);
    info facts;
    facts.set("mpi_size", std::to_string(set_named(pset_name).size()));
    required(made, "info") = new_handle(std::move(facts));
  });
}
STRETTO_MPI_NAME(Session_get_pset_info)

int PMPI_Group_from_session_pset(MPI_Session handle, const char* pset_name, MPI_Group* newgroup) {
  return call_in_session("MPI_Group_from_session_pset", handle, [&] {
    object_of(handle);
    required(newgroup, "newgroup") = new_handle(set_named(pset_name));
  });
}
STRETTO_MPI_NAME(Group_from_session_pset)

int PMPI_Session_set_errhandler(MPI_Session handle, MPI_Errhandler errhandler) {
  return call_in_session("MPI_Session_set_errhandler", handle, [&] {
    error_handler_ref handler = object_of(errhandler);
    if (!handler->fits(error_owner::session))
      throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
    object_of(handle).handler = std::move(handler);
  });
}
STRETTO_MPI_NAME(Session_set_errhandler)

int PMPI_Session_get_errhandler(MPI_Session handle, MPI_Errhandler* errhandler) {
  return call_in_session("MPI_Session_get_errhandler", handle,
                         [&] { required(errhandler, "errhandler") = new_handle(object_of(handle).handler); });
}
STRETTO_MPI_NAME(Session_get_errhandler)

int PMPI_Session_call_errhandler(MPI_Session handle, int errorcode) {
  return call_in_session("MPI_Session_call_errhandler", handle, [&] {
    const error_handler_ref handler = object_of(handle).handler;
    rank_state& state = current_rank();
    react({handler, handle, state.world}, errorcode,
          "error: MPI_Session_call_errhandler was called\n  what      " + state.codes.text_of(errorcode) + '\n');
  });
}
STRETTO_MPI_NAME(Session_call_errhandler)

}  // extern "C"
