// environment.cpp - start and end of MPI in a rank, versions, time and memory.
#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/busy_loop.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/call_error.hpp"
#include "ranks/process/collective_request.hpp"

namespace stretto::ranks {
namespace {

void wait_for_all_ranks() { perform(current_rank().world, collective_call{}); }

void begin_mpi(int level) {
  rank_state& state = current_rank();
  if (state.phase == rank_phase::running) throw call_error(error_class::other, "MPI_Init was called before");
  if (state.phase == rank_phase::finalized) throw call_error(error_class::other, "MPI_Finalize was called before");
  state.phase = rank_phase::running;
  caller().set_thread_level(level);
  if (level == MPI_THREAD_SERIALIZED || level == MPI_THREAD_MULTIPLE) caller().allow_calls_from_any_thread();
  caller().take_main_thread();
  // Functions that other nodes send may run in any rank's copy of the program, which must have been constructed.
  if (caller().copy().image().calls_stretto() && caller().node().map().nodes() > 1) wait_for_all_ranks();
}

double seconds(const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }

int answer(const char* name, int* flag, bool (*is)(rank_phase)) {
  return call_at_any_time(name, [&] { required(flag, "flag") = is(current_rank().phase); });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Init(int*, char***) {
  return call_at_any_time("MPI_Init", [] { begin_mpi(MPI_THREAD_SINGLE); });
}
STRETTO_MPI_NAME(Init)

int PMPI_Init_thread(int*, char***, int wanted, int* provided) {
  return call_at_any_time("MPI_Init_thread", [&] {
    if (wanted != MPI_THREAD_SINGLE && wanted != MPI_THREAD_FUNNELED && wanted != MPI_THREAD_SERIALIZED &&
        wanted != MPI_THREAD_MULTIPLE)
      throw call_error(error_class::argument, fmt::format("{} is no level of support for threads", wanted));
    begin_mpi(wanted);
    required(provided, "provided") = wanted;
  });
}
STRETTO_MPI_NAME(Init_thread)

int PMPI_Initialized(int* flag) {
  return answer("MPI_Initialized", flag, [](rank_phase p) { return p != rank_phase::starting; });
}
STRETTO_MPI_NAME(Initialized)

int PMPI_Finalized(int* flag) {
  return answer("MPI_Finalized", flag, [](rank_phase p) { return p == rank_phase::finalized; });
}
STRETTO_MPI_NAME(Finalized)

int PMPI_Query_thread(int* provided) {
  return call("MPI_Query_thread", [&] { required(provided, "provided") = caller().thread_level(); });
}
STRETTO_MPI_NAME(Query_thread)

int PMPI_Is_thread_main(int* flag) {
  return call("MPI_Is_thread_main", [&] { required(flag, "flag") = caller().is_main_thread(); });
}
STRETTO_MPI_NAME(Is_thread_main)

int PMPI_Finalize(void) {
  return call("MPI_Finalize", [] {
    rank_state& state = current_rank();
    check_is_running();
    state.self.attributes().remove_all(MPI_COMM_SELF);  // functions of keys run ahead of all else
    if (usage_check::is_on) usage_check::report_leaks();
    wait_for_all_ranks();
    state.phase = rank_phase::finalized;
  });
}
STRETTO_MPI_NAME(Finalize)

int PMPI_Abort(MPI_Comm, int code) {
  end_job(caller().node(),
          {error_reaction::fatal, nullptr, code,
           fmt::format("error R91: {} called MPI_Abort with the code {}\n", caller().copy().start().name, code)});
}
STRETTO_MPI_NAME(Abort)

int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }
STRETTO_MPI_NAME(Pcontrol)

int PMPI_Get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(Get_version)

int PMPI_Abi_get_version(int* major, int* minor) {
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(Abi_get_version)

int PMPI_Get_library_version(char* version, int* length) {
  write_text("Stretto, ranks as tasks (ABI of MPI 5.0)", version, length);
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(Get_library_version)

int PMPI_Get_processor_name(char* name, int* length) {
  return call("MPI_Get_processor_name", [&] {
    char host[MPI_MAX_PROCESSOR_NAME] = {};
    if (::gethostname(host, sizeof host - 1) != 0) throw call_error(error_class::other, std::strerror(errno));
    write_text(host, name, length);
  });
}
STRETTO_MPI_NAME(Get_processor_name)

double PMPI_Wtime(void) {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (yields_at(now.tv_nsec)) {
    yield_without_result();
    ::clock_gettime(CLOCK_MONOTONIC, &now);
  }
  return seconds(now);
}
STRETTO_MPI_NAME(Wtime)

double PMPI_Wtick(void) {
  timespec tick;
  ::clock_getres(CLOCK_MONOTONIC, &tick);
  return seconds(tick);
}
STRETTO_MPI_NAME(Wtick)

int PMPI_Alloc_mem(MPI_Aint size, MPI_Info, void* base) {
  return call("MPI_Alloc_mem", [&] {
    if (size < 0) throw call_error(error_class::argument, fmt::format("the size is {}", size));
    void* const memory = std::aligned_alloc(64, (static_cast<std::size_t>(size) + 63) / 64 * 64);
    if (!memory && size > 0) throw call_error(error_class::no_memory, fmt::format("there are no {} bytes", size));
    std::memcpy(base, &memory, sizeof memory);
  });
}
STRETTO_MPI_NAME(Alloc_mem)

int PMPI_Free_mem(void* base) {
  std::free(base);
  return MPI_SUCCESS;
}
STRETTO_MPI_NAME(Free_mem)

}  // extern "C"
