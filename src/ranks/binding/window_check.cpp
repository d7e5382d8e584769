#include "ranks/binding/window_check.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <stretto/error.hpp>

#include "ranks/binding/window_access.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

/// The call by which the first rank began a fence.
struct begun_fence {
  int assertions;
  described_call site;
};

/// A window, and what the ranks of this process do with it. A rank that has begun fence n is in epoch n.
struct checked_window {
  std::map<int, int> epochs;                  // by rank
  std::map<int, compared_accesses> accesses;  // by epoch
  std::map<int, begun_fence> fences;          // by number
  compared_accesses open;                     // in epochs of other kinds
};

struct all_windows {
  std::mutex mutex;
  std::map<const void*, checked_window> all;  // by the members of the window's communicator
};

all_windows& shared_windows() {
  static auto* const state = new all_windows;  // ranks may outlive static objects
  return *state;
}

checked_window& checked(rank_window& of) { return shared_windows().all[of.comm().shared_members().get()]; }

/// How two fences differ; empty if they do not.
std::string fence_difference(int first, int second) {
  const std::pair<int, const char*> names[] = {{MPI_MODE_NOPRECEDE, "MPI_MODE_NOPRECEDE"},
                                               {MPI_MODE_NOSUCCEED, "MPI_MODE_NOSUCCEED"}};
  for (const auto& [bit, name] : names)
    if ((first ^ second) & bit) return std::string("only one of them gives ") + name;
  return {};
}

/// With the others of its epoch, to which it is added.
void compare(checked_window& window, window_access made) {
  constexpr std::size_t most_open = 4096;
  const bool is_between_fences = made.epoch == epoch_kind::fence;
  compared_accesses& others = is_between_fences ? window.accesses[made.fence] : window.open;
  others.compare(made);
  if (is_between_fences) others.add(std::move(made));
  else if (!made.is_ended_by_wait) others.add(std::move(made), most_open);
}

/// A flush or an unlock of a rank ends its accesses to a rank, or to all.
void end_accesses(checked_window& window, int origin, std::optional<int> target, ended_accesses which) {
  window.open.remove_if([&](const window_access& one) {
    return one.origin == origin && one.epoch != epoch_kind::started && (!target || one.target == *target) &&
           (which == ended_accesses::all || one.fetches);
  });
}

}  // namespace

void accesses(rank_window& of, int target, const window_operation& operation) {
  const fixed_memory* const memory = of.target(target).known_memory();
  const epoch_kind epoch = of.epochs.kind_of_epoch(target);
  if (!innermost_call || !memory || epoch == epoch_kind::none) return;
  window_access made = described_access(operation, *memory);
  made.origin = of.rank();
  made.target = target;
  made.epoch = epoch;
  made.is_ended_by_wait = operation.is_waited_for && made.fetches;
  std::unique_lock lock(shared_windows().mutex);
  checked_window& window = checked(of);
  made.fence = window.epochs[of.rank()];
  if (of.target(target).shared_memory()) return compare(window, std::move(made));
  lock.unlock();
  of.target(target).describe(packed(made));
}

void accessed_elsewhere(const void* window, std::span<const std::byte> described) {
  const std::scoped_lock lock(shared_windows().mutex);
  compare(shared_windows().all[window], unpacked(described));
}

void ended_elsewhere(const void* window, int origin, int target) {
  const std::scoped_lock lock(shared_windows().mutex);
  end_accesses(shared_windows().all[window], origin, target, ended_accesses::all);
}

void ends_accesses(rank_window& of, std::optional<int> target, ended_accesses which) {
  const std::scoped_lock lock(shared_windows().mutex);
  end_accesses(checked(of), of.rank(), target, which);
}

void has_ended_exposure(rank_window& of) {
  const std::scoped_lock lock(shared_windows().mutex);
  checked(of).open.remove_if(
      [&](const window_access& one) { return one.target == of.rank() && one.epoch == epoch_kind::started; });
}

void frees(rank_window& of) {
  const std::scoped_lock lock(shared_windows().mutex);
  shared_windows().all.erase(of.comm().shared_members().get());
}

void begins_fence(rank_window& of, int assertions) {
  if (!innermost_call) return;
  described_call site = innermost_description();
  const std::scoped_lock lock(shared_windows().mutex);
  checked_window& window = checked(of);
  const int number = ++window.epochs[of.rank()];
  // All ranks have begun the fence before this one: nobody is in an earlier epoch than the one that it began.
  window.accesses.erase(window.accesses.begin(), window.accesses.lower_bound(number - 1));
  window.fences.erase(window.fences.begin(), window.fences.lower_bound(number));
  const auto [place, is_first] = window.fences.try_emplace(number, begun_fence{assertions, site});
  const std::string how = is_first ? "" : fence_difference(place->second.assertions, assertions);
  if (how.empty()) return;
  report_usage(error("R18", "the ranks of a window disagree about a fence")
                   .fact("one", place->second.site.text())
                   .fact("other", site.text())
                   .because(how)
                   .remedy("give MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED on all ranks or on none"));
}

}  // namespace stretto::ranks::usage_check
