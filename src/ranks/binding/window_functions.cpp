// window_functions.cpp - functions that create and free windows, and what programs ask about them.
#include <string>
#include <utility>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/binding/window_call_site.hpp"
#include "ranks/binding/window_check.hpp"
#include "ranks/binding/window_handles.hpp"
#include "ranks/call_error.hpp"
#include "ranks/windows/window_synchronization.hpp"

namespace stretto::ranks {
namespace {

/// The arguments of all functions that create a window.
struct creation_arguments {
  window_shape shape;
  MPI_Info info;
  MPI_Comm comm;
};

fixed_memory memory_of(void* base, MPI_Aint size, MPI_Aint unit) { return {static_cast<std::byte*>(base), size, unit}; }

void check_shape(const window_shape& shape) {
  const auto& [base, size, unit] = shape.memory;
  if (size < 0) throw call_error(error_class::size, "the size is " + std::to_string(size));
  if (unit < 1) throw call_error(error_class::displacement, "disp_unit is " + std::to_string(unit));
  if (shape.flavor == window_flavor::create && !base && size > 0)
    throw call_error(error_class::argument, "the base is a null pointer");
}

rank_window& create_from(creation_arguments a, MPI_Win* win) {
  required(win, "win") = MPI_WIN_NULL;
  communicator& parent = object_of(a.comm);
  const info hints = copied(a.info);
  check_shape(a.shape);
  a.shape.is_contiguous = hints.find("alloc_shared_noncontig") != "true";
  window_call_site over(parent);
  auto made = create_window(parent, a.shape, over.site());
  made->add_hints(hints);
  rank_window& result = *made.release();
  *win = reinterpret_cast<MPI_Win>(&result);
  return result;
}

int create_window_by_call(const char* name, const creation_arguments& a, MPI_Win* win) {
  return call(name, a.comm, [&] { create_from(a, win); });
}

/// Programs pass the address of a pointer.
void*& base_at(void* baseptr) { return required(static_cast<void**>(baseptr), "baseptr"); }

int allocate(const char* name, const creation_arguments& a, void* baseptr, MPI_Win* win) {
  return call(name, a.comm, [&] {
    void*& base = base_at(baseptr);
    base = create_from(a, win).own().memory.fixed()->base;
  });
}

/// The rank's memory; for MPI_PROC_NULL that of the first rank that has any.
fixed_memory shared_memory_of(rank_window& of, int rank) {
  if (of.flavor() == window_flavor::dynamic)
    throw call_error(error_class::rma_flavor, "a dynamic window has no memory of its own");
  if (rank != null_process && (rank < 0 || rank >= of.size()))
    throw call_error(error_class::rank,
                     "the rank is " + std::to_string(rank) + ", and the window has " + std::to_string(of.size()));
  const int first = rank == null_process ? 0 : rank, last = rank == null_process ? of.size() - 1 : rank;
  for (int one = first; one <= last; ++one) {
    const fixed_memory* const memory = of.target(one).shared_memory();
    if (memory && (memory->size > 0 || one == rank)) return *memory;
  }
  return {};
}

template <class Unit>
int query(const char* name, MPI_Win win, int rank, MPI_Aint* size, Unit* disp_unit, void* baseptr) {
  return call(name, {.win = win}, [&] {
    const fixed_memory memory = shared_memory_of(object_of(win), rank);
    required(size, "size") = memory.size;
    required(disp_unit, "disp_unit") = static_cast<Unit>(memory.unit);
    base_at(baseptr) = memory.base;
  });
}

void free_window(MPI_Win* handle) {
  rank_window& freed = object_of(required(handle, "win"));
  freed.epochs.check_closed();
  freed.attributes().remove_all(*handle);
  wait_for_all_ranks(freed);
  if (usage_check::is_on) [[unlikely]]
    usage_check::frees(freed);
  delete &freed;
  *handle = MPI_WIN_NULL;
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create_window_by_call("MPI_Win_create",
                               {{window_flavor::create, memory_of(base, size, disp_unit)}, info, comm}, win);
}
STRETTO_MPI_NAME(Win_create)

int PMPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create_window_by_call("MPI_Win_create_c",
                               {{window_flavor::create, memory_of(base, size, disp_unit)}, info, comm}, win);
}
STRETTO_MPI_NAME(Win_create_c)

int PMPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return create_window_by_call("MPI_Win_create_dynamic", {{window_flavor::dynamic, {}}, info, comm}, win);
}
STRETTO_MPI_NAME(Win_create_dynamic)

int PMPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate", {{window_flavor::allocate, memory_of(nullptr, size, disp_unit)}, info, comm},
                  baseptr, win);
}
STRETTO_MPI_NAME(Win_allocate)

int PMPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate_c", {{window_flavor::allocate, memory_of(nullptr, size, disp_unit)}, info, comm},
                  baseptr, win);
}
STRETTO_MPI_NAME(Win_allocate_c)

int PMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return allocate("MPI_Win_allocate_shared", {{window_flavor::shared, memory_of(nullptr, size, disp_unit)}, info, comm},
                  baseptr, win);
}
STRETTO_MPI_NAME(Win_allocate_shared)

int PMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                               MPI_Win* win) {
  return allocate("MPI_Win_allocate_shared_c",
                  {{window_flavor::shared, memory_of(nullptr, size, disp_unit)}, info, comm}, baseptr, win);
}
STRETTO_MPI_NAME(Win_allocate_shared_c)

int PMPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  return call("MPI_Win_attach", {.win = win},
              [&] { object_of(win).own().memory.attach(static_cast<std::byte*>(base), size); });
}
STRETTO_MPI_NAME(Win_attach)

int PMPI_Win_detach(MPI_Win win, const void* base) {
  return call("MPI_Win_detach", {.win = win},
              [&] { object_of(win).own().memory.detach(static_cast<const std::byte*>(base)); });
}
STRETTO_MPI_NAME(Win_detach)

int PMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit, void* baseptr) {
  return query("MPI_Win_shared_query", win, rank, size, disp_unit, baseptr);
}
STRETTO_MPI_NAME(Win_shared_query)

int PMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* disp_unit, void* baseptr) {
  return query("MPI_Win_shared_query_c", win, rank, size, disp_unit, baseptr);
}
STRETTO_MPI_NAME(Win_shared_query_c)

int PMPI_Win_free(MPI_Win* win) {
  return call("MPI_Win_free", {.win = win ? *win : MPI_WIN_NULL}, [&] { free_window(win); });
}
STRETTO_MPI_NAME(Win_free)

int PMPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return call("MPI_Win_get_group", {.win = win},
              [&] { required(group, "group") = new_handle(object_of(win).comm().members().local); });
}
STRETTO_MPI_NAME(Win_get_group)

int PMPI_Win_set_name(MPI_Win win, const char* win_name) {
  return call("MPI_Win_set_name", {.win = win}, [&] { object_of(win).set_name(&required(win_name, "win_name")); });
}
STRETTO_MPI_NAME(Win_set_name)

int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  return call("MPI_Win_get_name", {.win = win},
              [&] { write_text(win == MPI_WIN_NULL ? "MPI_WIN_NULL" : object_of(win).name(), win_name, resultlen); });
}
STRETTO_MPI_NAME(Win_get_name)

int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  return call("MPI_Win_set_info", {.win = win}, [&] { object_of(win).add_hints(object_of(info)); });
}
STRETTO_MPI_NAME(Win_set_info)

int PMPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  return call("MPI_Win_get_info", {.win = win},
              [&] { required(info_used, "info_used") = new_handle(info(object_of(win).hints())); });
}
STRETTO_MPI_NAME(Win_get_info)

}  // extern "C"
