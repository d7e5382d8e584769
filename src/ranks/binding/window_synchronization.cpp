// window_synchronization.cpp - fences, epochs, locks and flushes of windows.
#include "ranks/windows/window_synchronization.hpp"

#include <optional>
#include <string>
#include <vector>

#include "ranks/binding/call.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/binding/window_check.hpp"
#include "ranks/binding/window_handles.hpp"
#include "ranks/call_error.hpp"
#include "ranks/process/access_span.hpp"

namespace stretto::ranks {
namespace {

constexpr int known_assertions =
    MPI_MODE_NOCHECK | MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT | MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED;

int checked_assertions(int assertions) {
  if ((assertions & ~known_assertions) == 0) return assertions;
  throw call_error(error_class::assertion, "assert is " + std::to_string(assertions));
}

/// The ranks in the window of a group's members.
std::vector<int> ranks_in_window(rank_window& of, const group& members) {
  std::vector<int> ranks;
  for (int i = 0; i < members.size(); ++i) {
    const auto rank = of.comm().members().local.rank_of(members[i]);
    if (!rank) throw call_error(error_class::group, "a member of the group does not belong to the window");
    ranks.push_back(*rank);
  }
  return ranks;
}

lock_mode checked_mode(int lock_type) {
  if (lock_type == MPI_LOCK_SHARED) return lock_mode::shared;
  if (lock_type == MPI_LOCK_EXCLUSIVE) return lock_mode::exclusive;
  throw call_error(error_class::locktype, "lock_type is " + std::to_string(lock_type));
}

/// A call that waits for other ranks, or lets them go on.
template <class Body>
int call_on_window(const char* name, MPI_Win win, Body body) {
  return call(name, {.win = win}, [&] {
    rank_window& of = object_of(win);
    end_span_by_call();
    body(of);
  });
}

/// The same with one target; nothing is done for MPI_PROC_NULL.
template <class Body>
int call_on_target(const char* name, MPI_Win win, int rank, Body body) {
  return call_on_window(name, win, [&](rank_window& of) {
    if (rank == null_process) return;
    if (rank < 0 || rank >= of.size())
      throw call_error(error_class::rank,
                       "the target is " + std::to_string(rank) + ", and the window has " + std::to_string(of.size()));
    body(of);
  });
}

using usage_check::ended_accesses;

void will_end_accesses(rank_window& of, std::optional<int> target, ended_accesses which = ended_accesses::all) {
  if (usage_check::is_on) [[unlikely]]
    usage_check::ends_accesses(of, target, which);
}

void exposure_has_ended(rank_window& of) {
  if (usage_check::is_on) [[unlikely]]
    usage_check::has_ended_exposure(of);
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Win_fence(int assert, MPI_Win win) {
  return call_on_window("MPI_Win_fence", win, [&](rank_window& of) {
    const int assertions = checked_assertions(assert);
    if (usage_check::is_on) [[unlikely]]
      usage_check::begins_fence(of, assertions);
    fence(of, assertions);
  });
}
STRETTO_MPI_NAME(Win_fence)

int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  return call_on_window("MPI_Win_post", win, [&](rank_window& of) {
    post(of, ranks_in_window(of, object_of(group)), checked_assertions(assert));
  });
}
STRETTO_MPI_NAME(Win_post)

int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  return call_on_window("MPI_Win_start", win, [&](rank_window& of) {
    start(of, ranks_in_window(of, object_of(group)), checked_assertions(assert));
  });
}
STRETTO_MPI_NAME(Win_start)

int PMPI_Win_complete(MPI_Win win) {
  return call_on_window("MPI_Win_complete", win, [](rank_window& of) { complete(of); });
}
STRETTO_MPI_NAME(Win_complete)

int PMPI_Win_wait(MPI_Win win) {
  return call_on_window("MPI_Win_wait", win, [&](rank_window& of) {
    wait_for_accesses(of);
    exposure_has_ended(of);
  });
}
STRETTO_MPI_NAME(Win_wait)

int PMPI_Win_test(MPI_Win win, int* flag) {
  return call("MPI_Win_test", {.win = win}, [&] {
    rank_window& of = object_of(win);
    if (required(flag, "flag") = test_accesses(of); *flag) exposure_has_ended(of);
  });
}
STRETTO_MPI_NAME(Win_test)

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return call_on_target("MPI_Win_lock", win, rank, [&](rank_window& of) {
    checked_assertions(assert);
    lock(of, rank, checked_mode(lock_type));
  });
}
STRETTO_MPI_NAME(Win_lock)

int PMPI_Win_unlock(int rank, MPI_Win win) {
  return call_on_target("MPI_Win_unlock", win, rank, [&](rank_window& of) {
    will_end_accesses(of, rank);
    unlock(of, rank);
  });
}
STRETTO_MPI_NAME(Win_unlock)

int PMPI_Win_lock_all(int assert, MPI_Win win) {
  return call_on_window("MPI_Win_lock_all", win, [&](rank_window& of) {
    checked_assertions(assert);
    lock_all(of);
  });
}
STRETTO_MPI_NAME(Win_lock_all)

int PMPI_Win_unlock_all(MPI_Win win) {
  return call_on_window("MPI_Win_unlock_all", win, [&](rank_window& of) {
    will_end_accesses(of, {});
    unlock_all(of);
  });
}
STRETTO_MPI_NAME(Win_unlock_all)

int PMPI_Win_flush(int rank, MPI_Win win) {
  return call_on_target("MPI_Win_flush", win, rank, [&](rank_window& of) {
    will_end_accesses(of, rank);
    flush(of, rank);
  });
}
STRETTO_MPI_NAME(Win_flush)

int PMPI_Win_flush_local(int rank, MPI_Win win) {
  return call_on_target("MPI_Win_flush_local", win, rank, [&](rank_window& of) {
    will_end_accesses(of, rank, ended_accesses::fetches);
    flush(of, rank);
  });
}
STRETTO_MPI_NAME(Win_flush_local)

int PMPI_Win_flush_all(MPI_Win win) {
  return call_on_window("MPI_Win_flush_all", win, [&](rank_window& of) {
    will_end_accesses(of, {});
    flush_all(of);
  });
}
STRETTO_MPI_NAME(Win_flush_all)

int PMPI_Win_flush_local_all(MPI_Win win) {
  return call_on_window("MPI_Win_flush_local_all", win, [&](rank_window& of) {
    will_end_accesses(of, {}, ended_accesses::fetches);
    flush_all(of);
  });
}
STRETTO_MPI_NAME(Win_flush_local_all)

int PMPI_Win_sync(MPI_Win win) {
  return call("MPI_Win_sync", {.win = win}, [&] {
    object_of(win);
    synchronize_memory();
  });
}
STRETTO_MPI_NAME(Win_sync)

}  // extern "C"
