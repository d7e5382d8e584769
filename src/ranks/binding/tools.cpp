// tools.cpp - the interface of tools. Stretto has reports of its own, and offers tools no variables, categories or
// events: so every index, name and handle is wrong.
//
// Results are error codes; no error handler is called.
#include "ranks/binding/call.hpp"

namespace stretto::ranks {
namespace {

int code_of(error_class which) { return static_cast<int>(which); }

bool has_started() { return current_rank().tool_starts.load(std::memory_order_relaxed) > 0; }

/// The result of a function that asks for something which does not exist.
int refuse(error_class which) { return has_started() ? code_of(which) : MPI_T_ERR_NOT_INITIALIZED; }

/// That of a function which returns how many there are.
int return_none(int* count) {
  if (!has_started()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!count) return MPI_T_ERR_INVALID;
  *count = 0;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_T_init_thread(int required, int* provided) {
  if (!provided) return MPI_T_ERR_INVALID;
  ++current_rank().tool_starts;
  *provided = required;
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(T_init_thread)

int PMPI_T_finalize(void) {
  if (!has_started()) return MPI_T_ERR_NOT_INITIALIZED;
  --current_rank().tool_starts;
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(T_finalize)

int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  if (!has_started()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!session) return MPI_T_ERR_INVALID;
  *session = reinterpret_cast<MPI_T_pvar_session>(new char);  // only its address matters
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(T_pvar_session_create)

int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  if (!has_started()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!session || *session == MPI_T_PVAR_SESSION_NULL) return MPI_T_ERR_INVALID_SESSION;
  delete reinterpret_cast<char*>(*session);
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(T_pvar_session_free)

int PMPI_T_cvar_get_num(int* num_cvar) { return return_none(num_cvar); }
STRETTO_MPI_NAME(T_cvar_get_num)

int PMPI_T_pvar_get_num(int* num_pvar) { return return_none(num_pvar); }
STRETTO_MPI_NAME(T_pvar_get_num)

int PMPI_T_category_get_num(int* num_cat) { return return_none(num_cat); }
STRETTO_MPI_NAME(T_category_get_num)

int PMPI_T_event_get_num(int* num_events) { return return_none(num_events); }
STRETTO_MPI_NAME(T_event_get_num)

int PMPI_T_source_get_num(int* num_sources) { return return_none(num_sources); }
STRETTO_MPI_NAME(T_source_get_num)

int PMPI_T_category_changed(int* update_number) { return return_none(update_number); }
STRETTO_MPI_NAME(T_category_changed)

int PMPI_T_enum_get_info(MPI_T_enum, int*, char*, int*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_enum_get_info)

int PMPI_T_enum_get_item(MPI_T_enum, int, int*, char*, int*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_enum_get_item)

int PMPI_T_cvar_get_index(const char*, int*) { return refuse(error_class::tool_invalid_name); }
STRETTO_MPI_NAME(T_cvar_get_index)

int PMPI_T_cvar_get_info(int, char*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_cvar_get_info)

int PMPI_T_cvar_handle_alloc(int, void*, MPI_T_cvar_handle*, int*) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_cvar_handle_alloc)

int PMPI_T_cvar_handle_free(MPI_T_cvar_handle*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_cvar_handle_free)

int PMPI_T_cvar_read(MPI_T_cvar_handle, void*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_cvar_read)

int PMPI_T_cvar_write(MPI_T_cvar_handle, const void*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_cvar_write)

int PMPI_T_pvar_get_index(const char*, int, int*) { return refuse(error_class::tool_invalid_name); }
STRETTO_MPI_NAME(T_pvar_get_index)

int PMPI_T_pvar_get_info(int, char*, int*, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*, int*, int*,
                         int*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_pvar_get_info)

int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session, int, void*, MPI_T_pvar_handle*, int*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_pvar_handle_alloc)

int PMPI_T_pvar_handle_free(MPI_T_pvar_session, MPI_T_pvar_handle*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_pvar_handle_free)

int PMPI_T_pvar_read(MPI_T_pvar_session, MPI_T_pvar_handle, void*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_pvar_read)

int PMPI_T_pvar_readreset(MPI_T_pvar_session, MPI_T_pvar_handle, void*) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_pvar_readreset)

int PMPI_T_pvar_reset(MPI_T_pvar_session, MPI_T_pvar_handle) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_pvar_reset)

int PMPI_T_pvar_start(MPI_T_pvar_session, MPI_T_pvar_handle) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_pvar_start)

int PMPI_T_pvar_stop(MPI_T_pvar_session, MPI_T_pvar_handle) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_pvar_stop)

int PMPI_T_pvar_write(MPI_T_pvar_session, MPI_T_pvar_handle, const void*) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_pvar_write)

int PMPI_T_category_get_categories(int, int, int[]) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_category_get_categories)

int PMPI_T_category_get_cvars(int, int, int[]) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_category_get_cvars)

int PMPI_T_category_get_events(int, int, int[]) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_category_get_events)

int PMPI_T_category_get_index(const char*, int*) { return refuse(error_class::tool_invalid_name); }
STRETTO_MPI_NAME(T_category_get_index)

int PMPI_T_category_get_info(int, char*, int*, char*, int*, int*, int*, int*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_category_get_info)

int PMPI_T_category_get_num_events(int, int*) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_category_get_num_events)

int PMPI_T_category_get_pvars(int, int, int[]) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_category_get_pvars)

int PMPI_T_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_callback_get_info)

int PMPI_T_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_callback_set_info)

int PMPI_T_event_copy(MPI_T_event_instance, void*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_event_copy)

int PMPI_T_event_get_index(const char*, int*) { return refuse(error_class::tool_invalid_name); }
STRETTO_MPI_NAME(T_event_get_index)

int PMPI_T_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
                          int*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_event_get_info)

int PMPI_T_event_get_source(MPI_T_event_instance, int*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_event_get_source)

int PMPI_T_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_event_get_timestamp)

int PMPI_T_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_event_handle_alloc)

int PMPI_T_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_handle_free)

int PMPI_T_event_handle_get_info(MPI_T_event_registration, MPI_Info*) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_handle_get_info)

int PMPI_T_event_handle_set_info(MPI_T_event_registration, MPI_Info) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_handle_set_info)

int PMPI_T_event_read(MPI_T_event_instance, int, void*) { return refuse(error_class::tool_invalid_handle); }
STRETTO_MPI_NAME(T_event_read)

int PMPI_T_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*,
                                   MPI_T_event_cb_function) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_register_callback)

int PMPI_T_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function) {
  return refuse(error_class::tool_invalid_handle);
}
STRETTO_MPI_NAME(T_event_set_dropped_handler)

int PMPI_T_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  return refuse(error_class::tool_invalid_index);
}
STRETTO_MPI_NAME(T_source_get_info)

int PMPI_T_source_get_timestamp(int, MPI_Count*) { return refuse(error_class::tool_invalid_index); }
STRETTO_MPI_NAME(T_source_get_timestamp)

}  // extern "C"
