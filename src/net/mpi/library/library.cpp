// library.cpp - implements the table of net/mpi/mpi_calls.hpp for the MPI that compiles this file.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "net/mpi/mpi_calls.hpp"

/// A function of Open MPI, and of MPICH from 4.0 on; absent elsewhere. Declared here, since not every MPI has its
/// header.
extern "C" int MPIX_Query_cuda_support(void) __attribute__((weak));

namespace stretto::net::mpi {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(request));

MPI_Comm comms[2] = {MPI_COMM_NULL, MPI_COMM_NULL};  // by communicator_kind
MPI_Comm host_comm = MPI_COMM_NULL;                  // of the nodes that can share memory, in the order of their ranks
MPI_Win shared_window = MPI_WIN_NULL;
MPI_Comm parent_comm = MPI_COMM_NULL;  // parent of the communicators for collective tasks: nothing else is sent on it
std::mutex groups_mutex;
std::map<std::uint32_t, MPI_Comm> groups, groups_of_self;  // of communicator(): of the job, of this process alone
end_hooks hooks{};
bool has_started_mpi = false, has_registered_hooks = false;
bool has_job = false;  // from the end of a start() that succeeds until stop()

bool is_in_job() { return has_job; }

/// Flushes the program's files and runs no destructors: other threads still use the objects that these would destroy.
[[noreturn]] void end_process(int status) {
  std::fflush(nullptr);
  std::_Exit(status);
}

/// MPI deletes the attributes of MPI_COMM_SELF at the beginning of MPI_Finalize, before anything else.
int at_finalize(MPI_Comm, int, void*, void*) {
  if (is_in_job() && hooks.finalized()) end_process(1);
  return MPI_SUCCESS;
}

void at_exit(int status, void*) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended) return;
  int nodes = 1;
  if (is_in_job()) MPI_Comm_size(comms[0], &nodes);
  if (nodes > 1 && hooks.exited(status)) end_process(status ? status : 1);
  if (has_started_mpi) MPI_Finalize();
}

/// Registers the hooks once, whether the program or this library has started MPI.
void register_end_hooks() {
  if (has_registered_hooks) return;
  has_registered_hooks = true;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);  // takes effect when the attribute is deleted
  // Finalize MPI not before exit: it cannot be started again, and the program may make another runtime.
  ::on_exit(at_exit, nullptr);
}

threads level_of(int level) {
  return level == MPI_THREAD_MULTIPLE     ? threads::multiple
         : level == MPI_THREAD_SERIALIZED ? threads::serialized
         : level == MPI_THREAD_FUNNELED   ? threads::funneled
                                          : threads::single;
}

const char* error_text(int code) {
  if (code == MPI_SUCCESS) return nullptr;
  thread_local char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

MPI_Request unpack(const request* r) {
  MPI_Request is;
  std::memcpy(&is, r->bytes, sizeof is);
  return is;
}
const char* pack(int code, const MPI_Request& is, request* r) {
  std::memcpy(r->bytes, &is, sizeof is);
  return error_text(code);
}

const char* library() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

const char* begin_mpi(threads wanted, threads* is) {
  int running = 0, ended = 0;
  MPI_Initialized(&running);
  MPI_Finalized(&ended);
  if (ended) return "the program has ended MPI";
  int level = MPI_THREAD_SINGLE;
  if (running) {
    MPI_Query_thread(&level);
  } else {
    constexpr int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    if (const auto fault = error_text(MPI_Init_thread(nullptr, nullptr, levels[static_cast<int>(wanted)], &level)))
      return fault;
    has_started_mpi = true;
  }
  *is = level_of(level);
  register_end_hooks();
  return nullptr;
}

const char* start(threads wanted, const end_hooks& at_end, started* is) {
  if (is_in_job()) return "this process has a transport over MPI already";
  hooks = at_end;
  if (const auto fault = begin_mpi(wanted, &is->level)) return fault;
  if (const auto fault = error_text(MPI_Comm_dup(MPI_COMM_WORLD, &parent_comm))) return fault;
  MPI_Comm_set_errhandler(parent_comm, MPI_ERRORS_RETURN);
  for (MPI_Comm& c : comms) {
    if (const auto fault = error_text(MPI_Comm_dup(MPI_COMM_WORLD, &c))) return fault;
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
  }
  int *most = nullptr, is_set = 0;
  MPI_Comm_get_attr(comms[1], MPI_TAG_UB, &most, &is_set);
  if (is_set) is->most_tag = *most;
  if (const auto fault = error_text(MPI_Comm_split_type(comms[0], MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_comm)))
    return fault;
  MPI_Comm_set_errhandler(host_comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(host_comm, &is->host_rank);
  MPI_Comm_size(host_comm, &is->host_size);
  MPI_Comm_rank(comms[0], &is->rank);
  if (const auto fault = error_text(MPI_Comm_size(comms[0], &is->size))) return fault;
  has_job = true;
  return nullptr;
}

const char* stop() {
  has_job = false;
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended) return nullptr;
  if (shared_window != MPI_WIN_NULL) {
    MPI_Win_unlock_all(shared_window);
    if (const auto fault = error_text(MPI_Win_free(&shared_window))) return fault;
  }
  for (auto& [group, is] : groups) {  // in the same order on all nodes
    if (is == MPI_COMM_NULL) continue;
    if (const auto fault = error_text(MPI_Comm_free(&is))) return fault;
  }
  groups.clear();
  if (const auto fault = error_text(MPI_Comm_free(&parent_comm))) return fault;
  if (const auto fault = error_text(MPI_Comm_free(&host_comm))) return fault;
  for (MPI_Comm& c : comms)
    if (const auto fault = error_text(MPI_Comm_free(&c))) return fault;
  return nullptr;
}

const char* ring_receive(void* buffer, std::size_t bytes, request* r) {
  MPI_Request is;
  const int code = MPI_Recv_init(buffer, static_cast<int>(bytes), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[0], &is);
  if (code != MPI_SUCCESS) return error_text(code);
  return pack(MPI_Start(&is), is, r);
}
const char* restart(request* r) {
  MPI_Request is = unpack(r);
  return pack(MPI_Start(&is), is, r);
}
const char* receive(void* buffer, std::size_t bytes, int from, int tag, request* r) {
  MPI_Request is;
  return pack(MPI_Irecv(buffer, static_cast<int>(bytes), MPI_BYTE, from, tag, comms[1], &is), is, r);
}
const char* send(const void* buffer, std::size_t bytes, int to, int tag, communicator_kind which, request* r) {
  MPI_Request is;
  return pack(MPI_Isend(buffer, static_cast<int>(bytes), MPI_BYTE, to, tag, comms[static_cast<int>(which)], &is), is,
              r);
}
const char* test(request* r, bool* has_ended, int* from, std::size_t* bytes) {
  MPI_Request is = unpack(r);
  MPI_Status status;
  int flag = 0;
  const int code = MPI_Test(&is, &flag, &status);
  *has_ended = flag;
  if (flag && from) {
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *bytes = static_cast<std::size_t>(count);
  }
  return pack(code, is, r);
}
const char* cancel(request* r) {
  MPI_Request is = unpack(r);
  if (is == MPI_REQUEST_NULL) return nullptr;
  MPI_Cancel(&is);
  MPI_Wait(&is, MPI_STATUS_IGNORE);
  if (is != MPI_REQUEST_NULL) MPI_Request_free(&is);  // a persistent request outlives its completion
  return pack(MPI_SUCCESS, is, r);
}
const char* barrier() { return error_text(MPI_Barrier(comms[0])); }
const char* extremes(std::uint64_t value, std::uint64_t* lowest, std::uint64_t* highest) {
  if (const auto fault = error_text(MPI_Allreduce(&value, lowest, 1, MPI_UINT64_T, MPI_MIN, comms[0]))) return fault;
  return error_text(MPI_Allreduce(&value, highest, 1, MPI_UINT64_T, MPI_MAX, comms[0]));
}
const char* gather(const void* of_this_node, std::size_t bytes, void* all) {
  const auto n = static_cast<int>(bytes);
  return error_text(MPI_Allgather(of_this_node, n, MPI_BYTE, all, n, MPI_BYTE, comms[0]));
}
const char* gather_on_host(const void* of_this_node, std::size_t bytes, void* all) {
  const auto n = static_cast<int>(bytes);
  return error_text(MPI_Allgather(of_this_node, n, MPI_BYTE, all, n, MPI_BYTE, host_comm));
}

bool takes_cuda_memory() { return MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1; }

const char* share(std::size_t bytes, void** addresses) {
  int nodes = 0, on_host = 0;
  MPI_Comm_size(comms[0], &nodes);
  for (int n = 0; n < nodes; ++n) addresses[n] = nullptr;
  MPI_Comm_size(host_comm, &on_host);
  int fewest_on_host = 0;
  MPI_Allreduce(&on_host, &fewest_on_host, 1, MPI_INT, MPI_MIN, comms[0]);
  int code = MPI_SUCCESS;
  if (fewest_on_host == nodes) {
    void* here = nullptr;
    code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, host_comm, &here, &shared_window);
    if (code == MPI_SUCCESS) code = MPI_Win_lock_all(MPI_MODE_NOCHECK, shared_window);
    // host_comm has the ranks of comms[0], since it was split with equal keys
    for (int n = 0; code == MPI_SUCCESS && n < nodes; ++n) {
      MPI_Aint size = 0;
      int unit = 0;
      code = MPI_Win_shared_query(shared_window, n, &size, &unit, &addresses[n]);
    }
  }
  return error_text(code);
}

const char* communicator(std::uint32_t group, void* comm, std::size_t bytes, threads* level) {
  std::unique_lock lock(groups_mutex);
  const bool of_job = is_in_job();
  if (const auto fault = begin_mpi(threads::multiple, level)) return fault;
  if (*level != threads::multiple) return "MPI was not started with MPI_THREAD_MULTIPLE";
  if (bytes != sizeof(MPI_Comm)) return "the requested type is not the MPI_Comm of this MPI";
  MPI_Comm& is = (of_job ? groups : groups_of_self).try_emplace(group, MPI_COMM_NULL).first->second;
  if (is == MPI_COMM_NULL) {
    int code = MPI_SUCCESS;
    if (of_job) {
      lock.unlock();  // nodes may make the communicators of several groups in different orders
      MPI_Group all;
      MPI_Comm_group(parent_comm, &all);
      code = MPI_Comm_create_group(parent_comm, all, static_cast<int>(group), &is);
      MPI_Group_free(&all);
    } else {
      code = MPI_Comm_dup(MPI_COMM_SELF, &is);
    }
    if (code != MPI_SUCCESS) {
      is = MPI_COMM_NULL;
      return error_text(code);
    }
    MPI_Errhandler of_world;  // the error handler that the program has chosen
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
    MPI_Comm_set_errhandler(is, of_world);
    MPI_Errhandler_free(&of_world);
  }
  std::memcpy(comm, &is, sizeof is);
  return nullptr;
}

void abort_all() { MPI_Abort(MPI_COMM_WORLD, 1); }

constexpr calls table{
    calls_version, library, start,    stop,   ring_receive,   restart,           receive, send,         test,
    cancel,        barrier, extremes, gather, gather_on_host, takes_cuda_memory, share,   communicator, abort_all};

}  // namespace
}  // namespace stretto::net::mpi

extern "C" const stretto::net::mpi::calls* stretto_mpi_calls() { return &stretto::net::mpi::table; }
